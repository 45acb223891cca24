//! Syncs while the service fails, connections to the database are cut, and the tool is killed.
//! Afterwards, the table must equal the listing.

use std::{
    env, iter,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    time::{sleep, timeout},
};

/// Returns how often a run is killed: `FAULT_RUN_KILLS`, or this default for CI.
pub(super) fn kills(in_ci: u32) -> u32 {
    env::var("FAULT_RUN_KILLS").map_or(in_ci, |kills| kills.parse().unwrap())
}

/// Returns how many profiles a table has: `FAULT_RUN_PROFILES`, or this default for CI.
pub(super) fn profiles(in_ci: u64) -> u64 {
    env::var("FAULT_RUN_PROFILES").map_or(in_ci, |profiles| profiles.parse().unwrap())
}

/// Splits the kills into parts of at most 25, each with a seed.
///
/// The table is checked after each part, so a lost row is noticed before later changes hide the
/// loss.
pub(super) fn parts(mut kills: u32) -> impl Iterator<Item = (u64, u32)> {
    let part = move || {
        let part = kills.min(25);
        kills -= part;
        (part > 0).then_some(part)
    };
    (11..).zip(iter::from_fn(part))
}

/// A proxy that forwards connections to a server, delays them, and cuts some of them. It runs as
/// tokio tasks, so a test must not block the runtime's last thread.
pub(super) struct Proxy {
    pub address: String,
    cuts: Arc<AtomicBool>,
}

impl Proxy {
    pub(super) async fn before(server: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let cuts = Arc::new(AtomicBool::new(true));
        let cuts_now = Arc::clone(&cuts);
        tokio::spawn(async move {
            let mut random = fastrand::Rng::with_seed(17);
            while let Ok((mut client, _)) = listener.accept().await {
                let is_cut = cuts_now.load(Ordering::Relaxed) && random.u8(..4) < 3;
                let (delay, life) = (random.u64(..30), random.u64(5..1_500));
                let server = server.clone();
                tokio::spawn(async move {
                    sleep(Duration::from_millis(delay)).await;
                    let Ok(mut server) = TcpStream::connect(server).await else { return };
                    let forward = copy_bidirectional(&mut client, &mut server);
                    let life = if is_cut { Duration::from_millis(life) } else { Duration::MAX };
                    let _ = timeout(life, forward).await;
                });
            }
        });
        Self { address, cuts }
    }

    /// Sets whether later connections may be cut.
    pub(super) fn cut(&self, cuts: bool) {
        self.cuts.store(cuts, Ordering::Relaxed);
    }
}
