//! How the body of an answer is read: never more of it than asked for.

use reqwest::Response;

use crate::{Error, http_service::broken};

/// What is set aside for a body at once, whatever length it claims to have.
const FIRST_CAPACITY: usize = 1 << 20;

/// The whole body, or `None` if it is larger than `most` bytes.
pub(crate) async fn read_whole(
    response: &mut Response,
    most: usize,
) -> Result<Option<Vec<u8>>, Error> {
    let claimed = response.content_length().map(|length| usize::try_from(length).ok());
    let mut body = match claimed {
        Some(Some(length)) if length <= most => Vec::with_capacity(length.min(FIRST_CAPACITY)),
        Some(_) => return Ok(None),
        None => Vec::new(),
    };
    while let Some(chunk) = response.chunk().await.map_err(broken)? {
        if chunk.len() > most - body.len() {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}

/// The first `most` bytes of a body, or fewer if it breaks off; what has arrived stays in `body`
/// when the caller stops waiting.
pub(crate) async fn read_start(response: &mut Response, most: usize, body: &mut Vec<u8>) {
    while let Ok(Some(chunk)) = response.chunk().await {
        let room = most - body.len();
        body.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if body.len() == most {
            break;
        }
    }
}
