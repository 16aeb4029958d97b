//! A program with the client of `together.yaml`, and what it gets from the reference service. `.ci/client-of-answers`
//! compiles and runs it.

use countersign::client::{Client, ClientError, types};
use countersign::service::{self, Profile, Service, ProfileSetting, StoreUrl};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// A client of a service of its own that has these settings where the document is silent.
async fn client(settings: &[&str]) -> Result<Client, Box<dyn std::error::Error>> {
    let settings = settings.iter().map(|setting| ProfileSetting::parse(setting));
    let profile = Profile::of(&settings.collect::<Result<Vec<_>, _>>()?)?;
    let service = Service::open(&StoreUrl::Memory, "a-token".to_owned().into(), profile).await?;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let base_url = format!("http://{}", listener.local_addr()?);
    tokio::spawn(service::run(listener, service::app(service), std::future::pending()));
    Ok(Client::new(&base_url, "a-token".parse()?)?)
}

/// A body with each field that the answers require.
fn contact() -> types::builder::CreateContactBody {
    let method = types::CreateContactBodyContactMethodsItem {
        contact: Some("ada@example.com".to_owned()),
        status: None,
        type_: types::ContactMethod::TYPE_EMAIL.to_owned(),
    };
    types::CreateContactBody::builder()
        .firstname("Ada")
        .gender(types::CreateContactBody::GENDER_FEMALE.to_owned())
        .contact_methods(vec![method])
}

#[tokio::test]
async fn a_create_without_a_required_field_is_rejected_before_it_is_sent() -> Outcome {
    let client = client(&[]).await?;
    let body = types::CreateContactBody::builder().lastname("Example".to_owned());
    let error = client.create_contact().body(body).send().await.unwrap_err();
    assert!(matches!(&error, ClientError::Request { problem } if problem.contains("firstname")), "{error}");
    // Nor is a create without any body.
    assert!(matches!(client.create_contact().send().await, Err(ClientError::Request { .. })));
    Ok(())
}

#[tokio::test]
async fn what_a_create_shows_has_its_time() -> Outcome {
    let client = client(&["timestamp-form=east"]).await?;
    let created = client.create_contact().body(contact()).send().await?.into_inner();
    let created = created.data.ok_or("no contact")?;
    let time = created.created_at_time().ok_or("no time")??;
    assert_eq!(time.offset().local_minus_utc(), 2 * 60 * 60);
    Ok(())
}

#[tokio::test]
async fn a_time_in_another_form_is_an_error_of_its_own() -> Outcome {
    let client = client(&["timestamp-form=unzoned"]).await?;
    let created = client.create_contact().body(contact()).send().await?.into_inner();
    let created = created.data.ok_or("no contact")?;
    assert!(created.created_at.is_some() && created.created_at_time().ok_or("no time")?.is_err());
    Ok(())
}

/// Updates a contact of a service that has this setting.
async fn updated(setting: &str) -> Result<types::UpdateContactResponse, Box<dyn std::error::Error>> {
    let client = client(&[setting]).await?;
    let created = client.create_contact().body(contact()).send().await?.into_inner();
    let id = created.data.and_then(|contact| contact.id).ok_or("no identifier")?;
    // An update takes what the document says, and requires nothing.
    let body = types::ContactInput::builder().firstname("Grace".to_owned());
    let id: countersign::client::uuid::Uuid = id.parse()?;
    Ok(client.update_contact().id(id).body(body).send().await?.into_inner())
}

#[tokio::test]
async fn what_an_update_returns_is_typed() -> Outcome {
    let updated = updated("update-response-body=envelope").await?;
    assert!(updated.message.is_some());
    let firstname = updated.data.and_then(|contact| contact.firstname);
    assert_eq!(firstname.as_deref(), Some("Grace"));
    Ok(())
}

#[tokio::test]
async fn an_update_that_returns_something_else_succeeds() -> Outcome {
    let returned = updated("update-response-body=message").await?;
    assert!(returned.message.is_some() && returned.data.is_none());
    for body in ["empty", "contact"] {
        let returned = updated(&format!("update-response-body={body}")).await?;
        assert!(returned.message.is_none() && returned.data.is_none(), "{body}");
    }
    Ok(())
}
