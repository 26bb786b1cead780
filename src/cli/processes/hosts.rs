//! Processes on several hosts: the file that lists them, and their common key.
//!
//! Invariant: a process listens only at the address in its own line; without a key only at one of this machine itself, where it admits
//! processes of the same user. Deliberately elsewhere: how they connect (`mesh`).

use crate::args::ProcessArgs;
use crate::exit::Exit;
use crate::io::files;
use crate::io::output::Refusal;
use crate::processes::member::Member;
use bcheck_mesh::rendezvous::{NO_KEY, Place};
#[cfg(unix)]
use std::fs;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::Path;

/// A shorter key can be guessed; in bytes.
const LEAST_KEY: usize = 16;

/// This process among those of a file.
pub(crate) fn member(file: &Path, args: &ProcessArgs) -> Result<Member, Refusal> {
    let shown = file.display();
    let text = files::read_text(file).map_err(|reason| (reason, Exit::Io))?;
    let usage = |reason: String| (format!("{shown}: {reason}"), Exit::Usage);
    let addresses = addresses(&text, args.listen_anywhere).map_err(usage)?;
    let number = addresses.len();
    let Some(me) = args.process else {
        return Err(usage(format!("say which of the {number} processes this one is: --process 0 to {}", number - 1)));
    };
    if me >= number {
        return Err(usage(format!("--process {me}: there are {number}, from 0 on")));
    }
    let key = match &args.mesh_key {
        Some(file) => key(file)?,
        None if !cfg!(target_os = "linux") => {
            let reason = "this system does not tell which user a connection is of: give all processes a key by --mesh-key FILE, of at least 16 random bytes";
            return Err(usage(reason.to_owned()));
        }
        // Only processes of the same user are admitted.
        None if addresses.iter().all(|address| address.ip().is_loopback()) => NO_KEY,
        None => {
            let reason =
                "other machines can reach these addresses: give all processes a key by --mesh-key FILE, of at least 16 random bytes";
            return Err(usage(reason.to_owned()));
        }
    };
    Ok(Member { me, places: addresses.into_iter().map(Place::Address).collect(), key, is_supervised: false })
}

/// The addresses in a text, one per line; empty lines and lines that begin with `#` are skipped.
fn addresses(text: &str, anywhere: bool) -> Result<Vec<SocketAddr>, String> {
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
    let mut addresses: Vec<SocketAddr> = Vec::new();
    for (at, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        let found: Vec<SocketAddr> = match line.to_socket_addrs() {
            Ok(found) => found.collect(),
            Err(_) => return Err(format!("line {at}: `{line}` is not an address: write host:port")),
        };
        let &[address] = &found[..] else {
            return Err(format!("line {at}: `{line}` resolves to {} addresses: write the one that is meant", found.len()));
        };
        if address.ip().is_unspecified() && !anywhere {
            return Err(format!("line {at}: `{line}` listens on all networks: write one address, or add --listen-anywhere"));
        }
        if let Some(before) = addresses.iter().position(|other| *other == address) {
            return Err(format!("line {at}: `{line}` is the address of process {before} already"));
        }
        addresses.push(address);
    }
    if addresses.len() < 2 {
        return Err("it lists fewer than two processes: write one address per line, host:port".to_owned());
    }
    Ok(addresses)
}

/// The key in a file that nobody else may read.
fn key(file: &Path) -> Result<[u8; 32], Refusal> {
    let shown = file.display();
    let bytes = files::read_bytes(file).map_err(|reason| (reason, Exit::Io))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // It was readable a moment ago.
        let mode = fs::metadata(file).map_or(0, |about| about.permissions().mode());
        if mode & 0o077 != 0 {
            return Err((format!("{shown}: others may read the key: chmod 600 {shown}"), Exit::Usage));
        }
    }
    if bytes.len() < LEAST_KEY {
        return Err((format!("{shown}: the key has {} bytes; it needs at least {LEAST_KEY} random ones", bytes.len()), Exit::Usage));
    }
    Ok(blake3::hash(&bytes).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_line_by_line() {
        let found = addresses("# two\n127.0.0.1:4100\n\n [::1]:4101 \n", false).expect("readable");
        assert_eq!(found, ["127.0.0.1:4100".parse().expect("one"), "[::1]:4101".parse().expect("one")]);
        for (text, word) in [
            ("127.0.0.1:4100", "fewer than two"),
            ("127.0.0.1:4100\n127.0.0.1", "line 2"),
            ("127.0.0.1:4100\n127.0.0.1:4100", "process 0 already"),
            ("0.0.0.0:4100\n127.0.0.1:4101", "--listen-anywhere"),
            ("[::]:4100\n127.0.0.1:4101", "--listen-anywhere"),
        ] {
            let reason = addresses(text, false).expect_err("refused");
            assert!(reason.contains(word), "{text}: {reason}");
        }
        assert!(addresses("0.0.0.0:4100\n127.0.0.1:4101", true).is_ok());
    }
}
