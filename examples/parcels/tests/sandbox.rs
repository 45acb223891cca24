//! Tests against the sandbox. They need no network and no settings.

use std::collections::HashSet;

use parcels::{
    Error, ErrorKind, operation,
    sandbox::{Fault, Sandbox},
    types::{Parcel, ParcelState},
};

#[tokio::test(start_paused = true)]
async fn a_listing_returns_each_matching_parcel_once() -> Result<(), Error> {
    let sandbox = Sandbox::builder().build();
    let client = sandbox.client()?;
    sandbox.fault(operation::LIST_PARCELS, Fault::Status(503));

    let mut parcels = client.list_parcels().state(ParcelState::InTransit).per_page(100).items();
    let mut ids = HashSet::new();
    while let Some(parcel) = parcels.next().await {
        let parcel = parcel?;
        assert_eq!(parcel.state, ParcelState::InTransit);
        assert!(ids.insert(parcel.id), "{} is repeated", parcel.id);
    }

    let expected = sandbox.all::<Parcel>().filter(|parcel| parcel.state == ParcelState::InTransit);
    assert_eq!(ids, expected.map(|parcel| parcel.id).collect());
    Ok(())
}

#[tokio::test]
async fn an_inserted_parcel_is_listed() -> Result<(), Error> {
    let sandbox = Sandbox::builder().build();
    let mut parcel = sandbox.all::<Parcel>().next().expect("a parcel");
    parcel.depot = Some("DUS".to_owned());
    sandbox.insert(parcel.clone());

    let page = sandbox.client()?.list_parcels().depots(["DUS"]).send().await?;

    assert_eq!(page.data, [parcel]);
    Ok(())
}

#[tokio::test]
async fn a_page_may_not_be_longer_than_the_description_says() -> Result<(), Error> {
    let client = Sandbox::builder().build().client()?;

    let error = client.list_parcels().per_page(1_001).send().await.unwrap_err();

    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    Ok(())
}
