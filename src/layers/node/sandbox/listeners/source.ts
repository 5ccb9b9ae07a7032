/**
 * The helper, in the perl that every Debian has: no modules, no files. It waits for requests on Node's own channel, and
 * forks for each, because who has entered a user namespace does not come back. The fork enters the network namespace of
 * a child, listens there, and hands the sockets over the same channel (SCM_RIGHTS). It ends with the channel.
 *
 * Arguments: the numbers of setns and sendmsg. A request is `"ID PID INODE ADDRESS:PORT …"`; INODE is that of the
 * namespace, or 0 where nobody knows it. An ADDRESS is one of IPv4, or `::1`.
 */
export const source = String.raw`
my ($setns, $sendmsg) = map { $_ + 0 } @ARGV;
my $number = $ENV{NODE_CHANNEL_FD};
open(my $channel, '+<&=', $number) or exit 1;
# What another program left open is none of the helper's.
opendir(my $folder, '/proc/self/fd') or exit 1;
my @open = grep { /^\d+$/ and $_ > 2 and $_ != $number } readdir $folder;
closedir $folder;
for (@open) { open(my $one, '<&=', $_) and close $one }
my $home = readlink('/proc/self/ns/net') or exit 1;
$SIG{CHLD} = 'IGNORE';

sub fail {
  my ($id, $why) = @_;
  $why =~ tr/A-Za-z0-9 .:()-//cd;
  syswrite($channel, "\"$id failed $why\"\n");
  exit 1;
}

sub hand {
  my ($id, $index, $socket) = @_;
  my $line = "{\"cmd\":\"NODE_HANDLE\",\"type\":\"net.Server\",\"msg\":\"$id $index\"}\n";
  my $part = pack('P Q', $line, length $line);
  my $rights = pack('Q l l l x4', 20, 1, 1, fileno $socket);
  my $header = pack('Q L x4 P Q P Q l x4', 0, 0, $part, 1, $rights, length $rights, 0);
  syscall($sendmsg, fileno $channel, $header, 0) == length $line or fail($id, "sendmsg: $!");
}

sub enter {
  my ($id, $pid, $inode) = @_;
  open(my $net, '<', "/proc/$pid/ns/net") or fail($id, "ns: $!");
  my ($found) = (readlink('/proc/self/fd/' . fileno $net) // '') =~ /^net:\[(\d+)\]$/;
  # A number may have become another's: nobody listens where this program itself is.
  fail($id, 'it is another namespace') if !$found or "net:[$found]" eq $home or ($inode and $inode != $found);
  return if syscall($setns, fileno $net, 0x40000000) == 0;
  # Only who is in the user namespace that owns it may enter, but for root.
  my $user = ioctl($net, 0xb701, 0) or fail($id, "owner: $!");
  syscall($setns, $user + 0, 0x10000000) == 0 or fail($id, "setns user: $!");
  syscall($setns, fileno $net, 0x40000000) == 0 or fail($id, "setns net: $!");
}

sub lack {
  my ($id, $index) = @_;
  syswrite($channel, "\"$id $index absent\"\n");
}

sub isUp {
  my ($socket) = @_;
  my $flags = pack('a16 x24', 'lo');
  return ioctl($socket, 0x8913, $flags) && (unpack('x16 S', $flags) & 1);
}

# Loopback may come up only now, and sockets that a helper had which was killed may take a moment to go.
sub bound {
  my ($id, $socket, $name, $six) = @_;
  my $tries = 25;
  until (bind($socket, $name)) {
    my $why = $!;
    # Before it is up it has no address, and on a busy machine that may take long: the alarm ends it.
    my $early = ($why == 99 and !isUp($socket));
    # With loopback comes ::1, or never.
    return 0 if $six and $why == 99 and $tries < 23;
    $early or $tries-- or fail($id, "bind: $why");
    select(undef, undef, undef, 0.02);
  }
  return 1;
}

sub serve {
  my ($id, $pid, $inode, @places) = @_;
  $SIG{ALRM} = sub { fail($id, 'it took too long') };
  alarm 10;
  enter($id, $pid, $inode);
  my $index = 0;
  for (@places) {
    my ($address, $port) = /^(.*):(\d+)$/;
    my $six = $address eq '::1';
    # A machine may be without IPv6, and then without ::1: nothing else is missing there.
    unless (socket(my $socket, $six ? 10 : 2, 1 | 0x80000, 0)) {
      $six or fail($id, "socket: $!");
      lack($id, $index++);
    } else {
      my $name = $six ? pack('S n N x15 C L', 10, $port, 0, 1, 0) : pack('S n C4 x8', 2, $port, split(/\./, $address));
      if (bound($id, $socket, $name, $six)) {
        listen($socket, 511) or fail($id, "listen: $!");
        hand($id, $index++, $socket);
      } else {
        lack($id, $index++);
      }
    }
  }
}

my $read = '';
while (sysread($channel, $read, 65536, length $read)) {
  while ($read =~ s/^([^\n]*)\n//) {
    my $line = $1;
    # Node also acknowledges what it was handed.
    my ($id, $pid, $inode, $places) = $line =~ /^"(\d+) (\d+) (\d+) ([0-9.: ]+)"$/ or next;
    my $fork = fork;
    if (!defined $fork) { syswrite($channel, "\"$id failed fork\"\n"); next }
    next if $fork;
    serve($id, $pid, $inode, split / /, $places);
    exit 0;
  }
}
`

/** setns and sendmsg, by what Node calls the machine. */
export const numbers: ReadonlyMap<string, readonly [setns: string, sendmsg: string]> = new Map([
  ["x64", ["308", "46"]],
  ["arm64", ["268", "211"]]
])
