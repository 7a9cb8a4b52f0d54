import { configError } from '../../internal/index.js';
import { LINK_PREFIX } from './open.js';
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from './webhook.js';

export interface ScripOptions {
  /** The address at which the adapter receives webhooks. */
  readonly url: string;
  /** The adapter's `webhookSecret`. */
  readonly secret: string;
  /** Limits the Scrip to one queue. Default: all queues; tickets that are not handoffs are skipped. */
  readonly queue?: string;
  /** How long RT waits for an answer, in seconds. Default 3: agents wait that long when the receiver is down. */
  readonly timeoutSeconds?: number;
}

/** A Scrip, for either way of installing it. */
export interface RequestTrackerScrip {
  /** Identifies the Scrip when it is installed again. */
  readonly description: string;
  /** For the box "Custom condition". */
  readonly condition: string;
  /** For the box "Custom action preparation code". RT skips the commit code when it is empty. */
  readonly prepare: string;
  /** For the box "Custom action commit code". */
  readonly commit: string;
  /** A file for `rt-setup-database --action insert --datafile`, which creates or updates the Scrip. */
  readonly datafile: string;
}

const DESCRIPTION = 'handoff-kit: report replies';

/**
 * Generates the Scrip that reports events of tickets to the adapter. RT 5 has no webhooks, and its REST interface
 * cannot create Scrips.
 *
 * @example
 * writeFileSync('handoff-kit.scrip', requestTrackerScrip({ url, secret, queue: 'Handoffs' }).datafile);
 */
export function requestTrackerScrip({
  url,
  secret,
  queue,
  timeoutSeconds = 3,
}: ScripOptions): RequestTrackerScrip {
  if (!URL.canParse(url) || !/^https?:/i.test(url)) {
    throw configError(
      'requestTrackerScrip: url must be the http or https address at which the adapter receives webhooks.',
    );
  }
  if (!Number.isInteger(timeoutSeconds) || timeoutSeconds < 1) {
    throw configError('requestTrackerScrip: timeoutSeconds must be a whole number, 1 or more.');
  }
  const commit = COMMIT.replace('{{url}}', () => perlString('url', url))
    .replace('{{secret}}', () => perlString('secret', secret))
    .replace('{{timeout}}', String(timeoutSeconds));
  const datafile = DATAFILE.replaceAll('{{description}}', () => perlString('description', DESCRIPTION))
    .replace('{{queue}}', () => (queue === undefined ? '0' : perlString('queue', queue)))
    .replace('{{prepare}}', PREPARE)
    .replace('{{condition}}', () => CONDITION)
    .replace('{{commit}}', () => commit);
  return { description: DESCRIPTION, condition: CONDITION, prepare: PREPARE, commit, datafile };
}

/** A Perl string literal. ASCII only, because the encoding of other characters depends on how RT reads the code. */
function perlString(name: string, value: string): string {
  if (!/^[\x20-\x7e]+$/.test(value)) {
    throw configError(`requestTrackerScrip: ${name} must have printable ASCII characters only.`);
  }
  return `'${value.replace(/[\\']/g, '\\$&')}'`;
}

const CONDITION = `# handoff-kit: replies, comments, statuses and owners of tickets that are handed-over conversations.
my $txn  = $self->TransactionObj;
my $type = $txn->Type // '';
my $is_reported = $type =~ /^(?:Correspond|Comment|Status)$/
    || ( $type eq 'Set' && ( $txn->Field // '' ) eq 'Owner' );
return 0 unless $is_reported;
my $links = $self->TicketObj->RefersTo;
while ( my $link = $links->Next ) {
    return 1 if index( $link->Target // '', '${LINK_PREFIX}' ) == 0;
}
return 0;
`;

const PREPARE = 'return 1;';

const COMMIT = `# handoff-kit: posts the transaction, signed. A failure is only logged: the adapter also polls.
my $url     = {{url}};
my $secret  = {{secret}};
my $timeout = {{timeout}};
my $txn     = $self->TransactionObj;
my $problem = eval {
    local $SIG{__DIE__} = 'DEFAULT';
    require JSON;
    require Digest::SHA;
    require LWP::UserAgent;
    my $describe_user = sub {
        my $user = shift;
        return {
            id         => $user->Id,
            login      => $user->Name // '',
            realName   => $user->RealName // '',
            privileged => $user->Privileged ? 1 : 0,
        };
    };
    my $read_content = sub {
        my %first;
        my $parts = shift->Attachments;
        $parts->OrderBy( FIELD => 'id', ORDER => 'ASC' );
        while ( my $part = $parts->Next ) {
            next if length( $part->Filename // '' );
            $first{ lc( $part->ContentType // '' ) } //= $part;
        }
        my $part = $first{'text/plain'} // $first{'text/html'} // return;
        return { contentType => $part->ContentType, text => substr( $part->Content // '', 0, 100_000 ) };
    };
    my $describe = sub {
        my $txn  = shift;
        my $type = $txn->Type eq 'Set' ? 'Owner' : $txn->Type;
        my %entry = (
            id      => $txn->Id,
            ticket  => $self->TicketObj->Id,
            type    => $type,
            creator => $describe_user->( $txn->CreatorObj ),
        );
        $entry{status} = $txn->NewValue if $type eq 'Status';
        # Comments are reported without their content, which stays in RT.
        $entry{content} = $read_content->($txn) if $type eq 'Correspond';
        if ( $type eq 'Owner' ) {
            my $owner = RT::User->new( RT->SystemUser );
            $owner->Load( $txn->NewValue );
            $entry{owner} = $describe_user->($owner);
        }
        return \\%entry;
    };
    my @entries = ( $describe->($txn) );
    # A status change includes the reply before it, in case the request for that reply was lost.
    if ( $txn->Type eq 'Status' ) {
        my $before = $self->TicketObj->Transactions;
        $before->Limit( FIELD => 'Type', VALUE => 'Correspond' );
        $before->Limit( FIELD => 'id', OPERATOR => '<', VALUE => $txn->Id );
        $before->OrderBy( FIELD => 'id', ORDER => 'DESC' );
        $before->RowsPerPage(1);
        my $last = $before->First;
        unshift @entries, $describe->($last) if $last;
    }
    my $body  = JSON->new->utf8->canonical->encode( { transactions => \\@entries } );
    my $time  = time;
    my $agent = LWP::UserAgent->new( timeout => $timeout, max_redirect => 0, max_size => 65536 );
    my $response = $agent->post(
        $url,
        'Content-Type' => 'application/json',
        '${TIMESTAMP_HEADER}' => $time,
        '${SIGNATURE_HEADER}' => 'sha256=' . Digest::SHA::hmac_sha256_hex( "$time.$body", $secret ),
        Content => $body,
    );
    my $no_response = ( $response->header('Client-Warning') // '' ) eq 'Internal response';
    $response->is_success ? '' : $no_response ? 'no answer' : 'the answer was ' . $response->code;
} // 'it failed: ' . $@;
RT->Logger->warning( 'handoff-kit: transaction ' . $txn->Id . ' not reported: ' . $problem ) if $problem;
return 1;
`;

const DATAFILE = `# Reports events in tickets of handed-over conversations to handoff-kit.
# Install it on the machine of RT, and again after each change:
#   rt-setup-database-5 --action insert --skip-create --datafile <this file>
# It contains a secret: delete it afterwards.
use strict;
use warnings;

my $condition = <<'HANDOFF_KIT_CONDITION';
{{condition}}HANDOFF_KIT_CONDITION

my $commit = <<'HANDOFF_KIT_COMMIT';
{{commit}}HANDOFF_KIT_COMMIT

our @Final = (
    sub {
        my %code = (
            CustomIsApplicableCode => $condition,
            CustomPrepareCode      => '{{prepare}}',
            CustomCommitCode       => $commit,
        );
        my $scrips = RT::Scrips->new( RT->SystemUser );
        $scrips->Limit( FIELD => 'Description', VALUE => {{description}} );
        if ( my $scrip = $scrips->First ) {
            for my $field ( sort keys %code ) {
                next if ( $scrip->$field // '' ) eq $code{$field};
                my $set = "Set$field";
                my ( $ok, $message ) = $scrip->$set( $code{$field} );
                die "$message\\n" unless $ok;
            }
            print 'Updated Scrip ' . $scrip->Id . ".\\n";
            return;
        }
        my $scrip = RT::Scrip->new( RT->SystemUser );
        my ( $ok, $message ) = $scrip->Create(
            Description    => {{description}},
            Queue          => {{queue}},
            ScripCondition => 'User Defined',
            ScripAction    => 'User Defined',
            Template       => 'Blank',
            Stage          => 'TransactionCreate',
            %code,
        );
        die "$message\\n" unless $ok;
        print "Created Scrip $ok.\\n";
    },
);

1;
`;
