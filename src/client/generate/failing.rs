//! Makes every generated call fail with our own error: the generator's error shows headers and body, and does not say
//! why no response came. The main function is [`fail_with_our_error`].

use quote::ToTokens;
use syn::{Expr, File, ImplItem, ImplItemFn, Item, ReturnType, Stmt, parse_quote};

use super::lenient::inner;

/// Changes each `send` of the module `builder`.
pub(super) fn fail_with_our_error(file: &mut File) {
    sends(file).for_each(convert);
}

/// Returns each `send` of the module `builder`.
pub(super) fn sends(file: &mut File) -> impl Iterator<Item = &mut ImplItemFn> {
    let modules = file.items.iter_mut().filter_map(|item| match item {
        Item::Mod(module) if module.ident == "builder" => module.content.as_mut(),
        _ => None,
    });
    let blocks = modules.flat_map(|(_, items)| items).filter_map(|item| match item {
        Item::Impl(block) => Some(block),
        _ => None,
    });
    let items = blocks.flat_map(|block| &mut block.items);
    items.filter_map(|item| match item {
        ImplItem::Fn(method) if method.sig.ident == "send" => Some(method),
        _ => None,
    })
}

fn convert(send: &mut ImplItemFn) {
    let ReturnType::Type(_, outcome) = send.sig.output.clone() else {
        return;
    };
    let Some(success) = inner(&outcome).cloned() else {
        return;
    };
    // The generator drops the body of an error that is documented without one.
    replace_arms(
        send,
        "ErrorResponse",
        &parse_quote!(Err(Error::UnexpectedResponse(response))),
    );
    let block = &send.block;
    send.block = parse_quote!({
        let outcome: #outcome = async move #block.await;
        outcome.map_err(crate::client::ClientError::of_call)
    });
    send.sig.output = parse_quote!(-> Result<#success, crate::client::ClientError>);
}

/// Replaces the body of each arm of the match on the status whose code contains `name`.
pub(super) fn replace_arms(send: &mut ImplItemFn, name: &str, by: &Expr) {
    if let Some(Stmt::Expr(Expr::Match(statuses), _)) = send.block.stmts.last_mut() {
        for status in &mut statuses.arms {
            if status.body.to_token_stream().to_string().contains(name) {
                *status.body = by.clone();
            }
        }
    }
}
