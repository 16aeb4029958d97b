//! How requests are read: which fields are required, which are allowed, and what they refer to.

use super::axis_values::axis_values;

axis_values! {
    /// What happens to the fields that an update does not send.
    UpdateSemantics {
        /// They keep their values; `contact_methods` and tags are replaced as a whole where they are sent.
        Merges = "merges",
        /// They become blank: the update is the whole contact, and requires what a create does.
        Replaces = "replaces",
    }
}

axis_values! {
    /// Which request fields are required.
    RequiredFields {
        /// A first name, a method's type and contact, a visit's three fields, a tag's name; none in an update.
        Usual = "usual",
        /// Only those that a record cannot be made without: the contact and the venue of a visit.
        Least = "least",
        /// Every documented field; none in an update that merges.
        Every = "every",
    }
}

/// The fields that each object in a request must have.
impl RequiredFields {
    pub(in crate::service) fn contact(self) -> &'static [&'static str] {
        match self {
            RequiredFields::Every => &[
                "firstname", "lastname", "contact_methods", "dob", "date_of_birth", "gender", "nationality",
                "country_of_residence", "venue_id", "included_channels", "tags",
            ],
            RequiredFields::Least => &[],
            RequiredFields::Usual => &["firstname"],
        }
    }

    /// Returns the required fields of a method that is sent in a contact.
    pub(in crate::service) fn nested_method(self) -> &'static [&'static str] {
        match self {
            RequiredFields::Every => &["type", "contact", "status"],
            RequiredFields::Least => &[],
            RequiredFields::Usual => &["type", "contact"],
        }
    }

    /// Returns the required fields of a method that is sent by itself.
    pub(in crate::service) fn contact_method(self) -> &'static [&'static str] {
        match self {
            RequiredFields::Every => &["type", "contact", "status", "included_channels"],
            RequiredFields::Least | RequiredFields::Usual => self.nested_method(),
        }
    }

    pub(in crate::service) fn tag(self) -> &'static [&'static str] {
        match self {
            RequiredFields::Every => &["name", "color"],
            RequiredFields::Least => &[],
            RequiredFields::Usual => &["name"],
        }
    }

    pub(in crate::service) fn visit(self) -> &'static [&'static str] {
        match self {
            RequiredFields::Every | RequiredFields::Usual => &["contact_id", "venue_id", "datetime"],
            RequiredFields::Least => &["contact_id", "venue_id"],
        }
    }
}

axis_values! {
    /// What the entries of the request array tags are.
    TagsEntries {
        /// The id or the name of an existing tag; a contact shows the first.
        Either = "either",
        /// The id of an existing tag.
        Id = "id",
        /// The name of an existing tag.
        Name = "name",
    }
}

axis_values! {
    /// What happens to request fields that the document does not list.
    UnknownRequestFields {
        /// They are ignored.
        Ignored = "ignored",
        /// They are invalid input.
        Rejected = "rejected",
    }
}

axis_values! {
    /// What happens to a create that repeats a record: a contact's names with their date of birth, a method's type and
    /// contact, a visit's three fields, a tag's name. With several replicas over one store, the check and the create
    /// are not atomic across replicas: two equal creates in two replicas at once may both be accepted.
    Duplicates {
        /// It makes a second record.
        Accepted = "accepted",
        /// It is answered with 409.
        Conflict = "conflict",
        /// It is invalid input.
        Invalid = "invalid",
    }
}

axis_values! {
    /// What happens to an identifier in a body that names no record.
    UnknownReferences {
        /// It is invalid input.
        Invalid = "invalid",
        /// It is answered with 404.
        NotFound = "not-found",
        /// A contact is written without it. If it is required, as always in a visit, the request is invalid input.
        Ignored = "ignored",
    }
}

axis_values! {
    /// What the `venue_id` of Create contact does. That of Update contact is only stored: it never counts as a visit,
    /// because a repeated update would count two.
    VenueOfContact {
        /// The contact is at the venue: a visit is recorded at the time of the create, and its response shows it.
        Visited = "visited",
        /// It is stored with the contact, but no response shows it.
        Kept = "kept",
    }
}

axis_values! {
    /// How many characters a string may have. An array has at most 100 entries and a body 64 KiB, always.
    FieldSizes {
        /// 1,000 characters.
        Thousand = "1000",
        /// 255 characters.
        TwoFiftyFive = "255",
        /// 60 characters.
        Sixty = "60",
    }
}

impl FieldSizes {
    pub(in crate::service) fn maximum_length(self) -> usize {
        match self {
            FieldSizes::TwoFiftyFive => 255,
            FieldSizes::Sixty => 60,
            FieldSizes::Thousand => 1_000,
        }
    }
}

axis_values! {
    /// How many contact methods may be sent with a contact. One that is added by itself does not count.
    ContactMethodsAtOnce {
        /// 100, as in any array.
        Hundred = "100",
        /// Two.
        Two = "2",
        /// One.
        One = "1",
    }
}

impl ContactMethodsAtOnce {
    pub(in crate::service) fn max_methods(self) -> usize {
        match self {
            ContactMethodsAtOnce::Hundred => 100,
            ContactMethodsAtOnce::One => 1,
            ContactMethodsAtOnce::Two => 2,
        }
    }
}

axis_values! {
    /// Whether the case of letters matters in a path.
    PathCase {
        /// It matters, except in the UUID.
        Documented = "documented",
        /// It does not matter.
        Any = "any",
    }
}
