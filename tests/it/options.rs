//! Tests of options for single calls, and of how they combine with the client's settings.

use crate::prelude::*;

/// Returns a service that takes a day to respond, which is longer than any deadline in these tests.
fn silent() -> InMemory {
    InMemory::always(json(200, "{}")).after(seconds(86_400))
}

/// A setting, the ways to set it, and a way to find out which value was used.
struct Setting {
    name: &'static str,
    service: fn() -> InMemory,
    on_client: fn(ClientBuilder, u32) -> ClientBuilder,
    option: fn(CallOptions, u32) -> CallOptions,
    /// Returns the value that was used, according to a call's result, its duration and its request.
    counted: fn(Result<(), Error>, Duration, &InMemory) -> u32,
    default: u32,
}

const SETTINGS: [Setting; 5] = [
    Setting {
        name: "call_timeout",
        service: silent,
        on_client: |client, value| client.call_timeout(seconds(value.into())),
        option: |options, value| {
            options.call_timeout(seconds(value.into())).attempt_timeout(seconds(80_000))
        },
        counted: |_, took, _| took.as_secs().try_into().unwrap(),
        default: 60,
    },
    Setting {
        name: "attempt_timeout",
        service: silent,
        on_client: |client, value| client.attempt_timeout(seconds(value.into())),
        option: |options, value| options.attempt_timeout(seconds(value.into())),
        counted: |_, took, _| took.as_secs().try_into().unwrap(),
        default: 15,
    },
    Setting {
        name: "retry",
        service: || InMemory::always(status(503)),
        on_client: |client, value| client.retry(quick().max_attempts(value)),
        option: |options, value| options.retry(quick().max_attempts(value)),
        counted: |result, _, _| result.unwrap_err().attempts(),
        default: 1,
    },
    Setting {
        name: "max_response_bytes",
        service: || InMemory::always(json(200, "{}".to_owned() + &" ".repeat(100))),
        on_client: |client, value| client.max_response_bytes(value as usize),
        option: |options, value| options.max_response_bytes(value as usize),
        counted: |result, _, _| {
            let Err(error) = result else { return 64 << 20 };
            let message = error.to_string();
            let words =
                message.strip_prefix("listMonitoringAddresses: the response is larger than ");
            words.unwrap().split(' ').next().unwrap().parse().unwrap()
        },
        default: 64 << 20,
    },
    Setting {
        name: "header",
        service: || InMemory::always(json(200, "{}")),
        on_client: |client, _| client,
        option: |options, value| options.header("x-value", value.to_string()),
        counted: |_, _, service| {
            let requests = service.requests();
            let value = requests[0].headers().get("x-value");
            value.map_or(0, |value| value.to_str().unwrap().parse().unwrap())
        },
        default: 0,
    },
];

async fn measured(setting: &Setting, named: [bool; 3]) -> u32 {
    let [on_client, on_derived, on_builder] = named;
    let service = (setting.service)();
    let long = |client: ClientBuilder| match setting.name {
        "call_timeout" => client.attempt_timeout(seconds(80_000)),
        _ => client,
    };
    let client = service.with(|client| {
        let client = long(client.retry(Retry::none()));
        if on_client { (setting.on_client)(client, 2) } else { client }
    });
    let derived = if on_derived {
        client.with_options((setting.option)(CallOptions::new(), 3))
    } else {
        client.with_options(CallOptions::new())
    };
    let mut call = derived.list_monitoring_addresses();
    if on_builder {
        call = call.options((setting.option)(CallOptions::new(), 4));
    }
    let start = Instant::now();
    let result = call.send().await.map(drop);
    (setting.counted)(result, start.elapsed(), &service)
}

#[tokio::test(start_paused = true)]
async fn what_a_builder_names_overrides_its_client_which_overrides_its_own_client() {
    for setting in &SETTINGS {
        for cell in 0..8 {
            let named = [cell & 1 > 0, cell & 2 > 0, cell & 4 > 0];
            let expected = match named {
                [_, _, true] => 4,
                [_, true, false] => 3,
                [true, false, false] if setting.name != "header" => 2,
                _ => setting.default,
            };

            let counted = measured(setting, named).await;

            assert_eq!(counted, expected, "{} set by {named:?}", setting.name);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn options_on_options_add_up() {
    let service = silent();
    let client = service.with(|client| client.retry(Retry::none()));
    let first = client.with_options(CallOptions::new().header("x-a", "1").header("x-b", "1"));
    let second = CallOptions::new().attempt_timeout(seconds(7)).header("X-B", "2");
    let third = CallOptions::new().header("x-c", "first").header("x-c", "last");

    let start = Instant::now();
    let call = first.with_options(second).list_monitoring_addresses().options(third);
    call.options(CallOptions::new()).send().await.unwrap_err();

    assert_eq!(start.elapsed(), seconds(7));
    let requests = service.requests();
    let sent = ["x-a", "x-b", "x-c"].map(|name| requests[0].headers()[name].to_str().unwrap());
    assert_eq!(sent, ["1", "2", "last"]);
    assert_eq!(requests[0].headers().get_all("x-b").iter().count(), 1);
}

#[tokio::test]
async fn the_client_that_others_were_derived_from_stays_as_it_is() -> Result<(), Error> {
    let service = InMemory::always(json(200, "{}"));
    let client = service.client();

    let _derived = client.with_options(CallOptions::new().header("x-a", "1"));
    client.list_monitoring_addresses().send().await?;

    assert!(service.requests()[0].headers().get("x-a").is_none());
    Ok(())
}

#[tokio::test]
async fn headers_are_sent_with_each_page_and_each_attempt_on_the_wire() {
    let page = json(200, r#"{"next_page_cursor":"next"}"#);
    let script = [page, status(503), status(401), json(200, "{}"), json(200, MEMBERS)];
    let env = Environment::with(script, |client| client.user_agent("the client's"));
    let options = CallOptions::new()
        .header("x-request-id", "r-1")
        .header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        .header("user-agent", "mine");
    let client = env.client.with_options(options);

    let mut addresses = client.list_monitoring_addresses().items();
    assert!(addresses.next().await.is_none());
    add(&client).await.unwrap();

    for request in env.service.requests() {
        assert_eq!(request.header("x-request-id"), Some("r-1"), "{request:?}");
        assert_eq!(request.header("user-agent"), Some("mine"));
        let trace = request.header("traceparent").unwrap();
        assert!(trace.starts_with("00-0af7651916cd43dd8448eb211c80319c"));
    }
    assert_eq!(env.service.count(), 5);
    assert!(env.auth.requests().iter().all(|request| request.header("x-request-id").is_none()));
}

#[tokio::test]
async fn a_header_that_cannot_be_sent_is_refused_by_every_call_before_anything_is_sent() {
    let env = Environment::of(Server::playing([]), granting(), |client| client);
    let reserved = ["accept", "accept-encoding", "authorization", "connection", "content-length"];
    let reserved = reserved.into_iter().chain(["content-type", "host", "transfer-encoding"]);
    let reserved = reserved.map(|name| (name, "sesame"));
    let odd = [("", "sesame"), ("x y", "sesame"), (":path", "sesame"), ("x\n", "sesame")];
    let split = [("x-a", "sesame\r\nx-b: 1"), ("x-a", "sesame\0"), ("AUTHORIZATION", "sesame")];
    for (name, value) in reserved.chain(odd).chain(split) {
        let options = || CallOptions::new().header(name, value);
        let client = env.client.with_options(options()).with_options(CallOptions::new());
        let mut items = env.client.list_deposit_addresses().options(options()).items();
        let mut pages = client.list_monitoring_addresses().pages();

        for error in [
            client.list_monitoring_addresses().send().await.unwrap_err(),
            add(&client).await.unwrap_err(),
            items.next().await.unwrap().unwrap_err(),
            pages.next().await.unwrap().unwrap_err(),
        ] {
            assert_eq!((error.kind(), error.attempts()), (ErrorKind::InvalidRequest, 0), "{name}");
            assert!(!format!("{error} {error:?}").contains("sesame"), "{error:?}");
            assert!(error.operation().is_some());
        }
        assert!(items.next().await.is_none() && pages.next().await.is_none(), "{name}");
    }
    assert_eq!((env.service.count(), env.auth.count()), (0, 0));
}

#[test]
fn options_print_no_value() {
    let options = CallOptions::new().header("x-key", "sesame").header("x y", "sesame");

    let printed = format!("{options:?} {options:#?}");

    assert!(printed.contains("x-key") && !printed.contains("sesame"), "{printed}");
}

#[tokio::test(start_paused = true)]
async fn tokens_rates_and_holds_are_shared() {
    let service =
        InMemory::scripted(|at, _| if at == 2 { throttled(100) } else { json(200, "{}") });
    let client =
        service.with(|client| client.rate_limit(operation::LIST_MONITORING_ADDRESSES, 1.0));
    let derived = client.with_options(CallOptions::new().retry(Retry::none()));

    client.list_monitoring_addresses().send().await.unwrap();
    derived.list_monitoring_addresses().send().await.unwrap();
    assert_eq!(service.times()[1], seconds(1));
    derived.list_monitoring_addresses().send().await.unwrap_err();
    let held = client.list_monitoring_addresses().send().await.unwrap_err();

    assert_eq!((held.attempts(), held.retry_after()), (0, Some(seconds(100))));
    let env = Environment::playing([json(200, "{}"), json(200, "{}")]);
    for client in [&env.client, &env.client.with_options(CallOptions::new())] {
        client.list_monitoring_addresses().send().await.unwrap();
    }
    assert_eq!(env.auth.count(), 1);
}

/// Returns credentials whose token is "another".
fn another() -> ClientCredentials {
    let credentials = ClientCredentials::new("http://127.0.0.1:9/token", "other", "secret");
    credentials.http_service(InMemory::always(grant("another", "60")))
}

#[tokio::test(start_paused = true)]
async fn a_client_with_other_credentials_shares_settings_and_no_tokens_or_holds()
-> Result<(), Error> {
    let service = InMemory::scripted(|at, _| if at == 0 { throttled(60) } else { json(200, "{}") });
    let client = service.client().with_options(CallOptions::new().header("x-tenant", "any"));
    let once = CallOptions::new().retry(Retry::none());
    client.list_deposit_addresses().options(once).send().await.unwrap_err();
    let start = Instant::now();

    client.with_credentials(another()).list_deposit_addresses().send().await?;

    let asked = service.requests();
    assert_eq!(start.elapsed(), Duration::ZERO);
    assert_eq!(asked[1].headers()["authorization"], "Bearer another");
    assert_eq!(asked[1].headers()["x-tenant"], "any");
    assert_eq!(asked[1].url().host_str(), asked[0].url().host_str());
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_client_with_other_credentials_keeps_the_rates_and_has_turns_of_its_own() {
    let (service, client) = limited(1.0);
    let other = client.with_credentials(another());

    for client in [&client, &other, &other] {
        client.list_monitoring_addresses().send().await.unwrap();
    }

    assert_eq!(service.times(), [0, 0, 1].map(seconds));
}
