//! Tests that a value in a path or a query stays a single value, whatever characters it contains.

use proptest::prelude::*;

use crate::prelude::*;

#[tokio::test]
async fn a_filter_travels_as_the_text_it_is() -> Result<(), Error> {
    let env = Environment::playing([json(200, "{}")]);
    let texts = ["a&b=c", "50 %+", "é€𝄞", "#?/\\", "\"'<>\r\n\t\0", "ref_ids=x", ""];

    let ref_ids: Vec<String> = texts.map(str::to_owned).into();
    env.client.list_deposit_addresses().ref_ids(ref_ids).send().await?;

    let expected = texts.map(|text| ("ref_ids".to_owned(), text.to_owned()));
    assert_eq!(env.service.request().parameters(), expected);
    Ok(())
}

// Section 4.1 of the specification: `profile_id` is one segment of the path. RFC 6570, section
// 3.2.2: an unencoded comma would separate two values.
#[tokio::test]
async fn a_profile_id_travels_as_one_segment() -> Result<(), Error> {
    for (profile_id, segment) in [
        ("desk-1", "desk-1"),
        ("a/b", "a%2Fb"),
        ("a b", "a%20b"),
        ("50%", "50%25"),
        ("%2e%2e", "%252e%252e"),
        ("a?b=c", "a%3Fb%3Dc"),
        ("a,b", "a%2Cb"),
        ("-._~", "-._~"),
        ("!$&'()*+;:@", "%21%24%26%27%28%29%2A%2B%3B%3A%40"),
        ("a#b", "a%23b"),
        ("é€𝄞", "%C3%A9%E2%82%AC%F0%9D%84%9E"),
        ("...", "..."),
        ("../..", "..%2F.."),
        ("a\tb\nc\rd", "a%09b%0Ac%0Dd"),
    ] {
        let env = Environment::playing([json(200, "{}")]);

        env.client.list_quote_executions().profile_id(profile_id).send().await?;

        let expected = format!("GET /v2/profiles/{segment}/quote-executions");
        assert_eq!(env.service.lines(), [expected], "{profile_id:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_profile_id_that_would_call_another_path_is_refused() {
    for profile_id in ["", ".", "..", "\\", "a\\b", "..\\x"] {
        let env = Environment::playing([]);

        let call = env.client.list_quote_executions().profile_id(profile_id);
        let error = call.send().await.expect_err(profile_id);

        assert_eq!(error.kind(), ErrorKind::InvalidRequest, "{profile_id:?}");
        assert_eq!(error.attempts(), 0, "{profile_id:?}");
        assert!(error.to_string().contains("profile_id"), "{error}");
        assert_eq!((env.service.count(), env.auth.count()), (0, 0), "{profile_id:?}");
    }
}

#[test]
fn any_profile_id_is_refused_or_travels_as_one_segment() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let env = runtime.block_on(async { Environment::always(json(200, "{}")) });

    proptest!(cases(), |(profile_id in prop_oneof!["[./%\\\\?# a\t\n]{0,5}", any::<String>()])| {
        let before = env.service.count();

        let call = env.client.list_quote_executions().profile_id(profile_id.as_str());
        let result = runtime.block_on(call.send());

        if let Err(error) = result {
            prop_assert_eq!(error.kind(), ErrorKind::InvalidRequest);
            prop_assert_eq!(env.service.count(), before);
        } else {
            let requests = env.service.requests();
            prop_assert_eq!(requests.len(), before + 1);
            let expected = ["v2", "profiles", profile_id.as_str(), "quote-executions"];
            prop_assert_eq!(requests[before].segments(), expected);
        }
    });
}
