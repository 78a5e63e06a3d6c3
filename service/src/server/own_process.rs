//! The limits of the service's own process: file descriptors, core dumps, and a warning when it runs as root.

use crate::config::Config;

/// The descriptors that are kept free for listening, logs, the database, and programs that embed the service.
const BASE: u64 = 64;

/// The descriptors for each operation that runs at the same time: a worker, its start, and the files of the operation.
const PER_WORKER: u64 = 24;

/// The descriptors for each file that is fetched by address.
const PER_FETCH: u64 = 3;

/// The descriptors for each connection: its socket, and the file that it uploads or downloads.
const PER_CONNECTION: u64 = 2;

/// Prepares a process that only runs the service: raises the soft limit of file descriptors to the hard limit, turns
/// core dumps off, because they would contain documents and passwords, and warns if the process runs as root.
pub(super) fn prepare() {
    #[cfg(unix)]
    unix::prepare();
}

/// Whether this process runs as root, although the service needs no privileges.
pub fn runs_as_root() -> bool {
    #[cfg(unix)]
    let is_root = nix::unistd::geteuid().is_root();
    #[cfg(not(unix))]
    let is_root = false;
    is_root
}

/// How many connections may be open: the limit of the settings, or less if the process may not open enough files.
pub(super) fn connections(config: &Config) -> usize {
    let wanted = config.limits.connections;
    #[cfg(unix)]
    if let Ok((soft, _)) = nix::sys::resource::getrlimit(nix::sys::resource::Resource::RLIMIT_NOFILE) {
        let within = within(soft, wanted, config.workers(), config.limits.fetches);
        if within < wanted {
            tracing::warn!(
                open_files = soft,
                connections = within,
                "the limit of open files allows only this many connections; raise it to allow more"
            );
        }
        return within;
    }
    wanted
}

/// How many connections, at most `wanted`, a process can serve if it may open `descriptors` files.
#[cfg_attr(not(unix), allow(dead_code))]
fn within(descriptors: u64, wanted: usize, workers: usize, fetches: usize) -> usize {
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    // Workers use at most half of the descriptors in this calculation and fetches a quarter, so that some remain for
    // connections also on a machine with many processors. If descriptors run out, the start of a worker is tried again.
    let others = count(workers).saturating_mul(PER_WORKER).min(descriptors / 2).saturating_add(BASE);
    let fetching = count(fetches).saturating_mul(PER_FETCH).min(descriptors / 4);
    let left = descriptors.saturating_sub(others).saturating_sub(fetching) / PER_CONNECTION;
    usize::try_from(left.max(8)).unwrap_or(usize::MAX).min(wanted)
}

#[cfg(unix)]
mod unix {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};

    /// Some systems do not accept a larger limit, although their hard limit is unlimited.
    const MOST_DESCRIPTORS: u64 = if cfg!(target_vendor = "apple") { 10_240 } else { 1 << 20 };

    pub(super) fn prepare() {
        if let Err(error) = raise_descriptors() {
            tracing::warn!(%error, "could not raise the limit of open files");
        }
        if let Err(error) = setrlimit(Resource::RLIMIT_CORE, 0, 0) {
            tracing::warn!(%error, "could not turn core dumps off");
        }
        // Programs that receive core dumps through a pipe ignore RLIMIT_CORE, but not this setting. Also, other
        // processes of this user can no longer read the memory of this process.
        #[cfg(target_os = "linux")]
        if let Err(error) = nix::sys::prctl::set_dumpable(false) {
            tracing::warn!(%error, "could not protect the memory of the process from other processes of its user");
        }
        if super::runs_as_root() {
            tracing::warn!(
                "the service runs as root, but needs no privileges; run it as a user of its own, without other files"
            );
        }
    }

    fn raise_descriptors() -> nix::Result<()> {
        let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
        let most = hard.min(MOST_DESCRIPTORS);
        if soft < most { setrlimit(Resource::RLIMIT_NOFILE, most, hard) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::within;

    #[test]
    fn connections_leave_descriptors_for_workers_and_files() {
        assert_eq!(within(1 << 20, 1024, 64, 16), 1024);
        for descriptors in [256, 1024, 4096] {
            let connections = within(descriptors, 10_000, 2, 16) as u64;
            assert!(connections >= 8 && connections * 2 + 2 * 24 + 64 <= descriptors, "{connections}");
        }
        // A machine with many processors, and the usual limit of open files.
        assert!(within(1024, 1024, 128, 16) >= 100);
        // At least a few connections are possible, and the setting is never exceeded.
        assert_eq!(within(10, 1024, 2, 16), 8);
        assert_eq!(within(10, 3, 2, 16), 3);
    }
}
