//! Calls a sandbox without the crate's client, and normally without a port.

use digital_assets::{
    sandbox::{Sandbox, SandboxBuilder},
    types::{AddInstitutionMembersRequest, InstitutionMemberToAdd},
};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde_json::Value;
use tower_service::Service;
use uuid::uuid;

use crate::specification::scopes;

pub(crate) fn all_scopes() -> String {
    scopes().join(" ")
}

pub(crate) struct Caller {
    pub(crate) sandbox: Sandbox,
    pub(crate) http: Client,
    token: String,
}

impl Caller {
    pub(crate) async fn start() -> Self {
        Self::with(Sandbox::builder()).await
    }

    pub(crate) async fn with(builder: SandboxBuilder) -> Self {
        Self::of(builder.build()).await
    }

    /// Starts a sandbox with a port, and returns a caller for it.
    pub(crate) async fn listening(builder: SandboxBuilder) -> Self {
        Self::of(builder.start().await.unwrap()).await
    }

    async fn of(sandbox: Sandbox) -> Self {
        let mut caller = Self { sandbox, http: Client::new(), token: String::new() };
        caller.token = caller.token(&all_scopes()).await;
        caller
    }

    pub(crate) async fn token(&self, scope: &str) -> String {
        let answer = self.send(self.token_request(&self.form(scope))).await;
        assert_eq!(answer.status(), StatusCode::OK);
        json(answer).await["access_token"].as_str().unwrap().to_owned()
    }

    pub(crate) fn form(&self, scope: &str) -> String {
        let (id, secret) = (self.sandbox.client_id(), self.sandbox.client_secret());
        let client = format!("client_id={id}&client_secret={secret}");
        format!("grant_type=client_credentials&{client}&scope={}", scope.replace(' ', "+"))
    }

    pub(crate) fn token_request(&self, form: &str) -> RequestBuilder {
        self.http
            .post(self.sandbox.token_url())
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form.to_owned())
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.sandbox.base_url())
    }

    pub(crate) fn executions(&self) -> String {
        format!("/v2/profiles/{}/quote-executions", self.sandbox.profile_id())
    }

    pub(crate) fn request(&self, path: &str) -> RequestBuilder {
        self.request_of("GET", path)
    }

    pub(crate) fn request_of(&self, method: &str, path: &str) -> RequestBuilder {
        self.http.request(method.parse().unwrap(), self.url(path)).bearer_auth(&self.token)
    }

    /// Sends a request directly to the sandbox, without a port.
    pub(crate) async fn send(&self, request: RequestBuilder) -> Response {
        self.sandbox.http_service().call(request.build().unwrap()).await.unwrap()
    }

    pub(crate) async fn get(&self, path: &str) -> (u16, Value) {
        let answer = self.send(self.request(path)).await;
        (answer.status().as_u16(), json(answer).await)
    }

    pub(crate) async fn ok(&self, path: &str) -> Value {
        let (status, body) = self.get(path).await;
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    /// Makes a request that must fail with a 400. Returns the name of the invalid parameter.
    pub(crate) async fn refused(&self, path: &str) -> String {
        let (status, body) = self.get(path).await;
        assert_eq!(status, 400, "{path}: {body}");
        body["meta"]["parameter"].as_str().unwrap_or_default().to_owned()
    }

    pub(crate) async fn add(&self, body: &Value) -> Response {
        let url = self.url("/v2/identity/institution-members");
        let request = self.http.post(url).bearer_auth(&self.token);
        let request = request.header("content-type", "application/json");
        self.send(request.body(body.to_string())).await
    }

    /// Reads a listing page by page, and returns every record.
    ///
    /// `filters` is empty or begins with `&`. Only the first request has a limit.
    pub(crate) async fn walk(&self, path: &str, filters: &str, limit: usize) -> Vec<Value> {
        let (mut records, mut query) = (Vec::new(), format!("?limit={limit}{filters}"));
        loop {
            let page = self.ok(&format!("{path}{query}")).await;
            let items = items(&page);
            assert!(items.len() <= limit, "{} records, although the limit is {limit}", items.len());
            records.extend_from_slice(items);
            let Some(cursor) = page["next_page_cursor"].as_str() else { return records };
            assert!(!items.is_empty(), "an empty page with a cursor");
            query = format!("?page_cursor={cursor}{filters}");
        }
    }
}

/// Returns a request that adds one member to the sandbox's institution.
pub(crate) fn new_member(sandbox: &Sandbox) -> AddInstitutionMembersRequest {
    let identity_id = uuid!("4d8b3e72-16f9-4a05-8c3d-2e7f9a1b5c06");
    AddInstitutionMembersRequest {
        institution_id: sandbox.institution_id(),
        members: vec![InstitutionMemberToAdd { identity_id, roles: vec!["TRUSTEE".into()] }],
    }
}

pub(crate) async fn json(answer: Response) -> Value {
    let text = answer.text().await.unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Returns the records of a page. They are in the page's only array, which may be absent if it is
/// empty.
pub(crate) fn items(page: &Value) -> &[Value] {
    let mut fields = page.as_object().into_iter().flat_map(|page| page.values());
    fields.find_map(Value::as_array).map_or(&[], Vec::as_slice)
}

pub(crate) fn values<'a>(page: &'a Value, field: &str) -> Vec<&'a str> {
    items(page).iter().map(|item| item[field].as_str().unwrap_or_default()).collect()
}
