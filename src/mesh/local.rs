//! What the system reports about connections within this machine: the user at the other end; and sockets whose paths are long.
//!
//! Invariant: where the system does not report it, the other end counts as another user's. Deliberately elsewhere: who is admitted
//! (`rendezvous`).

use std::net::{IpAddr, SocketAddr, TcpStream};
use std::path::Path;
#[cfg(unix)]
use std::{fs::File, io, path::PathBuf};

/// The longest path of a socket that every system takes.
#[cfg(unix)]
const LONGEST: usize = 100;

/// A socket path short enough for the system, however long the path of its folder is; valid as long as the folder is open.
#[cfg(unix)]
pub(super) fn short(path: &Path) -> io::Result<(PathBuf, Option<File>)> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return Ok((path.to_owned(), None)) };
    if path.as_os_str().len() <= LONGEST || !cfg!(target_os = "linux") {
        return Ok((path.to_owned(), None));
    }
    let folder = File::open(folder)?;
    let number = std::os::fd::AsRawFd::as_raw_fd(&folder);
    Ok((Path::new("/proc/self/fd").join(number.to_string()).join(name), Some(folder)))
}

/// Whether both ends of a connection belong to one user of this machine, from the list of connections that Linux provides.
pub(super) fn is_of_same_user(stream: &TcpStream) -> bool {
    let (Ok(own), Ok(other)) = (stream.local_addr(), stream.peer_addr()) else { return false };
    let table = if own.is_ipv4() { "/proc/net/tcp" } else { "/proc/net/tcp6" };
    std::fs::read_to_string(Path::new(table)).is_ok_and(|table| has_one_user(&table, own, other))
}

/// As [`is_of_same_user`], from the text of the list. Each end has a line, with its own address first.
fn has_one_user(table: &str, own: SocketAddr, other: SocketAddr) -> bool {
    let (own, other) = (in_table(own), in_table(other));
    let user = |from: &str, to: &str| {
        table.lines().find_map(|line| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            match fields[..] {
                // An end that its process has closed has another state, and no user.
                [_, local, remote, ESTABLISHED, _, _, _, user, ..] if local == from && remote == to => user.parse::<u32>().ok(),
                _ => None,
            }
        })
    };
    let users = (user(&own, &other), user(&other, &own));
    matches!(users, (Some(own), Some(other)) if own == other)
}

const ESTABLISHED: &str = "01";

/// An address in the format of the list: words of 32 bits in the byte order of the machine, and the port.
fn in_table(address: SocketAddr) -> String {
    let word = |bytes: &[u8; 4]| format!("{:08X}", u32::from_ne_bytes(*bytes));
    let words = match address.ip() {
        IpAddr::V4(ip) => word(&ip.octets()),
        IpAddr::V6(ip) => ip.octets().as_chunks::<4>().0.iter().map(word).collect(),
    };
    format!("{words}:{:04X}", address.port())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn only_two_open_ends_of_one_user_are_of_one_user() {
        let (own, other): (SocketAddr, SocketAddr) = ("127.0.0.1:7000".parse().expect("one"), "127.0.0.1:40000".parse().expect("one"));
        let line = |from: &str, to: &str, state: &str, user: u32| {
            format!("   0: {from} {to} {state} 00000000:00000000 00:00000000 00000000  {user}        0 12345 1 0 20 4 30 10 -1\n")
        };
        let (at_own, at_other) = ("0100007F:1B58", "0100007F:9C40");
        let table = |user: u32, state: &str| line(at_own, at_other, "01", 1000) + &line(at_other, at_own, state, user);
        assert!(has_one_user(&table(1000, "01"), own, other));
        assert!(!has_one_user(&table(1001, "01"), own, other) && !has_one_user(&table(1000, "04"), own, other));
        assert!(!has_one_user(&line(at_own, at_other, "01", 1000), own, other) && !has_one_user("", own, other));
    }

    #[test]
    fn a_connection_within_this_process_is_of_one_user() {
        let Ok(listener) = TcpListener::bind("127.0.0.1:0") else { return };
        let there = TcpStream::connect(listener.local_addr().expect("bound")).expect("it listens");
        let (here, _) = listener.accept().expect("it has come");
        assert!(is_of_same_user(&here) && is_of_same_user(&there));
    }

    #[test]
    fn a_socket_may_lie_deep() {
        let around = tempfile::tempdir().expect("a folder");
        let folder = (0..20).fold(around.path().to_owned(), |folder, _| folder.join("deep_below_here"));
        std::fs::create_dir_all(&folder).expect("folders");
        let (path, open) = short(&folder.join("0")).expect("it is there");
        assert!(open.is_some());
        let listener = std::os::unix::net::UnixListener::bind(path).expect("it is short");
        drop(open);
        let (path, _open) = short(&folder.join("0")).expect("it is there");
        std::os::unix::net::UnixStream::connect(path).expect("it listens");
        drop(listener);
    }
}
