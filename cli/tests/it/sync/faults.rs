//! The tool while its service fails, its database is cut off and it is killed itself. After that, the
//! table equals the service.

use std::{env, sync::Arc, time::Duration};

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::Notify,
    time::{sleep, timeout},
};

/// How often a run is killed: `FAULT_RUN_KILLS`, or as often as CI has time for.
pub(super) fn kills() -> u32 {
    env::var("FAULT_RUN_KILLS").map_or(10, |kills| kills.parse().unwrap())
}

/// Stands before a server, delays it, and cuts its connections.
pub(super) struct Proxy {
    pub address: String,
    calm: Arc<Notify>,
}

impl Proxy {
    pub(super) async fn before(server: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let calm = Arc::new(Notify::new());
        let notified = Arc::clone(&calm);
        tokio::spawn(async move {
            let mut random = fastrand::Rng::with_seed(17);
            let mut is_calm = false;
            loop {
                let accepted = tokio::select! {
                    accepted = listener.accept() => accepted,
                    () = notified.notified() => {
                        is_calm = true;
                        continue;
                    }
                };
                let Ok((mut client, _)) = accepted else { return };
                let (server, is_cut) = (server.clone(), !is_calm && random.u8(..4) < 3);
                let (delay, life) = (random.u64(..30), random.u64(5..1_500));
                tokio::spawn(async move {
                    sleep(Duration::from_millis(delay)).await;
                    let Ok(mut server) = TcpStream::connect(server).await else { return };
                    let forward = copy_bidirectional(&mut client, &mut server);
                    let life = if is_cut { Duration::from_millis(life) } else { Duration::MAX };
                    let _ = timeout(life, forward).await;
                });
            }
        });
        Self { address, calm }
    }

    /// Cuts no connection that is made from now on.
    pub(super) fn calm(&self) {
        self.calm.notify_one();
    }
}
