import { join } from 'node:path';

/** Files and folders of a mail server. */
export const pathsIn = (folder: string) => ({
  folder,
  certificate: join(folder, 'certificate.pem'),
  key: join(folder, 'key.pem'),
  users: join(folder, 'users'),
  accessTokens: join(folder, 'access-tokens'),
  eximConfig: join(folder, 'exim.conf'),
  spool: join(folder, 'spool'),
  log: join(folder, 'log'),
  dovecotConfig: join(folder, 'dovecot.conf'),
  dovecotRun: join(folder, 'run'),
  mail: join(folder, 'mail'),
  /** While it exists, exim postpones mails to the team. */
  postpone: join(folder, 'postpone'),
  /** While it exists, exim refuses the address of the team. */
  refuseAddress: join(folder, 'refuse-address'),
  /** While it exists, exim refuses the content of mails. */
  refuseContent: join(folder, 'refuse-content'),
});

export type Paths = ReturnType<typeof pathsIn>;

export interface Ports {
  readonly smtp: number;
  readonly smtps: number;
  readonly imap: number;
  readonly imaps: number;
}

/** The user that exim's package creates. */
export const OWNER = 'Debian-exim';

/** Delivers mails for example.com into Maildirs. Its own header tells who has logged in. */
export const eximConfig = (paths: Paths, ports: Ports): string => `
primary_hostname = mail.example.com
keep_environment =
domainlist local_domains = example.com
spool_directory = ${paths.spool}
log_file_path = ${paths.log}/exim-%slog
pid_file_path = ${paths.folder}/exim.pid
local_interfaces = 127.0.0.1
daemon_smtp_ports = ${ports.smtp} : ${ports.smtps}
tls_on_connect_ports = ${ports.smtps}
tls_advertise_hosts = *
tls_certificate = ${paths.certificate}
tls_privatekey = ${paths.key}
auth_advertise_hosts = \${if eq{$tls_in_cipher}{}{}{*}}
deliver_drop_privilege = true
never_users =
host_lookup =
smtp_accept_max_per_connection = 1000
smtp_enforce_sync = true
acl_smtp_rcpt = rcpt
acl_smtp_data = data

begin acl
rcpt:
  defer condition = \${if exists{${paths.postpone}}}
        message = try again later
  deny  condition = \${if exists{${paths.refuseAddress}}}
        message = no such mailbox
  require domains = +local_domains
          verify = recipient
  accept
data:
  deny  condition = \${if exists{${paths.refuseContent}}}
        message = not wanted
  warn  add_header = :at_start:\${authresults {$primary_hostname}}
  accept

begin routers
# The address exists when it is asked for, and fails at delivery: that makes a bounce.
broken_exists:
  driver = accept
  local_parts = broken
  verify_only
  transport = maildir
broken_fails:
  driver = redirect
  local_parts = broken
  allow_fail
  data = :fail: the mailbox is gone
away_replies:
  driver = accept
  local_parts = away
  no_verify
  unseen
  transport = vacation
mailboxes:
  driver = accept
  domains = +local_domains
  local_part_suffix = +*
  local_part_suffix_optional
  local_parts = dsearch;${paths.mail}
  transport = maildir

begin transports
maildir:
  driver = appendfile
  directory = ${paths.mail}/$local_part_data
  maildir_format
  envelope_to_add
  return_path_add
vacation:
  driver = autoreply
  from = $local_part@$domain
  to = \${if def:h_Reply-To: {$h_Reply-To:}{$h_From:}}
  subject = Out of office: $h_Subject:
  text = I am on holiday.

begin retry
* * F,1h,1s

begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = \${if eq{$auth3}{\${extract{1}{:}{\${lookup{$auth2}lsearch{${paths.users}}}}}}}
  server_set_id = $auth2
xoauth2:
  driver = plaintext
  public_name = XOAUTH2
  server_prompts = :
  server_condition = \${if eq{\${sg{$auth1}{\\N^.*auth=Bearer ([^\\x01]+)\\x01+$\\N}{\\$1}}}{\${extract{1}{:}{\${lookup{${XOAUTH2_USER}}lsearch{${paths.accessTokens}}}}}}}
  server_set_id = ${XOAUTH2_USER}
`;

const XOAUTH2_USER = `\${sg{$auth1}{\\N^user=([^\\x01]+)\\x01.*$\\N}{\\$1}}`;

/** Serves the same Maildirs by IMAP. */
export const dovecotConfig = (paths: Paths, ports: Ports): string => `
protocols = imap
listen = 127.0.0.1
base_dir = ${paths.dovecotRun}
state_dir = ${paths.dovecotRun}
log_path = ${paths.log}/dovecot
ssl = yes
ssl_cert = <${paths.certificate}
ssl_key = <${paths.key}
disable_plaintext_auth = yes
login_trusted_networks =
mail_location = maildir:${paths.mail}/%n
maildir_stat_dirs = yes
first_valid_uid = 1
mail_max_userip_connections = 100
auth_mechanisms = plain xoauth2
passdb {
  driver = passwd-file
  mechanisms = plain
  args = scheme=PLAIN username_format=%u ${paths.users}
}
# dovecot takes an access token for a password.
passdb {
  driver = passwd-file
  mechanisms = xoauth2
  args = scheme=PLAIN username_format=%u ${paths.accessTokens}
}
userdb {
  driver = static
  args = uid=${OWNER} gid=${OWNER} home=${paths.mail}/%n
}
service imap-login {
  inet_listener imap {
    port = ${ports.imap}
  }
  inet_listener imaps {
    port = ${ports.imaps}
    ssl = yes
  }
}
`;
