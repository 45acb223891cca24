//! The tool while its service fails, its database is cut off and it is killed itself. After that,
//! the table equals the service.

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

/// How often a run is killed: `FAULT_RUN_KILLS`, or as often as CI has time for.
pub(super) fn kills(in_ci: u32) -> u32 {
    env::var("FAULT_RUN_KILLS").map_or(in_ci, |kills| kills.parse().unwrap())
}

/// How many profiles fill one table: `FAULT_RUN_PROFILES`, or as many as CI has time for.
pub(super) fn profiles(in_ci: u64) -> u64 {
    env::var("FAULT_RUN_PROFILES").map_or(in_ci, |profiles| profiles.parse().unwrap())
}

/// These kills in parts, so that what one loses is missed before later changes hide it. Each with a
/// seed.
pub(super) fn parts(mut kills: u32) -> impl Iterator<Item = (u64, u32)> {
    let part = move || {
        let part = kills.min(25);
        kills -= part;
        (part > 0).then_some(part)
    };
    (11..).zip(iter::from_fn(part))
}

/// Forwards to a server, delays it, and cuts its connections. It forwards only while its test doesn't
/// block the runtime's last thread.
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

    /// Whether it cuts connections that are made from now on.
    pub(super) fn cut(&self, cuts: bool) {
        self.cuts.store(cuts, Ordering::Relaxed);
    }
}
