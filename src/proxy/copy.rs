//! Passes a body on and copies it. The main type is [`CopyingBody`].

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;

use super::queue::{CopiedBody, ExchangeUnderWay};
use crate::exchange::Limits;

/// A body that is passed on as it comes, trailers included, while the exchange that it belongs to gets a copy.
pub(super) struct CopyingBody {
    body: Incoming,
    copy: Option<BodyCopy>,
}

/// The copy of a body, which is kept once the body has ended.
struct BodyCopy {
    under_way: Arc<ExchangeUnderWay>,
    keep: fn(&ExchangeUnderWay, CopiedBody),
    bytes: Vec<u8>,
    /// Whether the copy was given up: the body is too large, or the queue has no room.
    is_given_up: bool,
}

impl CopyingBody {
    /// Passes on the body of a request.
    pub(super) fn request(body: Incoming, under_way: Option<&Arc<ExchangeUnderWay>>) -> Self {
        Self::new(body, under_way, ExchangeUnderWay::keep_request_body)
    }

    /// Passes on the body of a response.
    pub(super) fn response(body: Incoming, under_way: Option<&Arc<ExchangeUnderWay>>) -> Self {
        Self::new(body, under_way, ExchangeUnderWay::keep_response_body)
    }

    fn new(body: Incoming, under_way: Option<&Arc<ExchangeUnderWay>>, keep: fn(&ExchangeUnderWay, CopiedBody)) -> Self {
        let copy = under_way.map(|under_way| BodyCopy {
            under_way: Arc::clone(under_way),
            keep,
            bytes: Vec::new(),
            is_given_up: false,
        });
        let mut copying = Self { body, copy };
        copying.end_if_ended();
        copying
    }

    fn end_if_ended(&mut self) {
        if self.body.is_end_stream()
            && let Some(copy) = self.copy.take()
        {
            copy.end(true);
        }
    }
}

impl BodyCopy {
    fn add(&mut self, piece: &Bytes) {
        if self.is_given_up {
            return;
        }
        let fits = self.bytes.len() + piece.len() <= Limits::default().body;
        if fits && self.under_way.reserve(piece.len()) {
            self.bytes.extend_from_slice(piece);
        } else {
            self.is_given_up = true;
            self.under_way.release(self.bytes.len());
            self.bytes = Vec::new();
        }
    }

    fn end(mut self, is_whole: bool) {
        // What it has grown to is more than what was reserved.
        self.bytes.shrink_to_fit();
        let copied = match (is_whole, self.is_given_up) {
            (false, _) => CopiedBody::Incomplete,
            (true, true) => CopiedBody::NotKept,
            (true, false) => CopiedBody::Whole(self.bytes.into()),
        };
        (self.keep)(&self.under_way, copied);
    }
}

impl Body for CopyingBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        match &polled {
            Poll::Ready(Some(Ok(frame))) => {
                if let (Some(piece), Some(copy)) = (frame.data_ref(), &mut self.copy) {
                    copy.add(piece);
                }
                // A trailer section ends a message (RFC 9112, section 7.1.2): nobody asks for more.
                if frame.is_trailers()
                    && let Some(copy) = self.copy.take()
                {
                    copy.end(true);
                }
                self.end_if_ended();
            }
            Poll::Ready(ended) => {
                if let Some(copy) = self.copy.take() {
                    copy.end(ended.is_none());
                }
            }
            Poll::Pending => {}
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for CopyingBody {
    fn drop(&mut self) {
        // Whoever read it has gone away.
        if let Some(copy) = self.copy.take() {
            copy.end(false);
        }
    }
}
