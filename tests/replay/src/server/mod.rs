//! The three origins of a run. They use real sockets, so that a connection can be broken at any byte.

mod connection;
pub(crate) mod http;
mod tls;

pub use tls::Certificates;

use crate::body::Folders;
use crate::scenario::{Host, Listen};
use crate::script::Script;
use connection::serve;
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// The state that all connections of a run share.
#[derive(Debug)]
pub struct Stage {
    /// The expected exchanges, and the differences found so far.
    pub script: Mutex<Script>,
    /// The folders with body files.
    pub folders: Folders,
}

impl Stage {
    /// Locks the script. This also works after a task has panicked while it held the lock.
    pub fn script(&self) -> std::sync::MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sockets that have ports but do not listen yet, so that the addresses are known before the run starts.
#[derive(Debug)]
pub struct Origins {
    sockets: BTreeMap<Host, socket2::Socket>,
    /// A socket that never listens: connections to it are refused.
    refused: socket2::Socket,
}

impl Origins {
    /// Takes four free ports on the loopback interface.
    ///
    /// # Errors
    /// If the system has no free port.
    pub fn bind() -> std::io::Result<Self> {
        let sockets =
            Host::ALL.into_iter().map(|host| Ok((host, bound()?))).collect::<std::io::Result<_>>()?;
        Ok(Self { sockets, refused: bound()? })
    }

    /// The address of an origin, such as `https://127.0.0.1:4711`.
    pub fn url(&self, host: Host, listen: &Listen) -> String {
        let scheme = if listen.tls.contains(&host) { "https" } else { "http" };
        format!("{scheme}://127.0.0.1:{}", self.sockets.get(&host).map_or(0, port))
    }

    /// An address at which nothing listens.
    pub fn refused_url(&self) -> String {
        format!("http://127.0.0.1:{}", port(&self.refused))
    }

    /// Returns the origins as listeners, which the caller has to serve. It must be called within a tokio runtime.
    ///
    /// # Errors
    /// If listening fails.
    pub fn listeners(self) -> std::io::Result<Vec<(Host, TcpListener)>> {
        let listen = |(host, socket): (Host, socket2::Socket)| {
            socket.listen(64)?;
            Ok((host, TcpListener::from_std(socket.into())?))
        };
        self.sockets.into_iter().map(listen).collect()
    }

    /// Listens, and serves requests until the returned value is dropped.
    ///
    /// # Errors
    /// If listening fails.
    pub fn play(
        self,
        stage: Arc<Stage>,
        listen: &Listen,
        certificates: &Certificates,
    ) -> std::io::Result<Play> {
        let mut tasks = JoinSet::new();
        for (host, socket) in self.sockets {
            let tls = listen.tls.contains(&host).then(|| certificates.acceptor(listen.client_certificate));
            let delay = listen.after_ms.get(&host).copied().unwrap_or(0);
            if delay == 0 {
                socket.listen(64)?;
            }
            let stage = Arc::clone(&stage);
            tasks.spawn(async move {
                if delay > 0 {
                    tokio::time::sleep(Duration::from_millis(delay)).await;
                    socket.listen(64)?;
                }
                accept(TcpListener::from_std(socket.into())?, host, stage, tls).await
            });
        }
        Ok(Play { _tasks: tasks, _refused: self.refused })
    }
}

/// The origins while they serve requests. Dropping this value ends their connections.
#[derive(Debug)]
pub struct Play {
    _tasks: JoinSet<std::io::Result<()>>,
    _refused: socket2::Socket,
}

async fn accept(
    listener: TcpListener,
    host: Host,
    stage: Arc<Stage>,
    tls: Option<tokio_rustls::TlsAcceptor>,
) -> std::io::Result<()> {
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let (stage, tls) = (Arc::clone(&stage), tls.clone());
        connections.spawn(async move {
            match tls {
                None => serve(stream, host, &stage).await,
                // A client that does not trust the certificate ends the handshake, and reports the error itself.
                Some(tls) => match tls.accept(stream).await {
                    Ok(stream) => serve(stream, host, &stage).await,
                    Err(error) => Err(error),
                },
            }
        });
        while connections.try_join_next().is_some() {}
    }
}

fn bound() -> std::io::Result<socket2::Socket> {
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None)?;
    socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into())?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}

fn port(socket: &socket2::Socket) -> u16 {
    socket.local_addr().ok().and_then(|address| address.as_socket()).map_or(0, |address| address.port())
}
