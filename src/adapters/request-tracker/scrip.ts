import { configError } from '../../internal/index.js';
import { LINK_PREFIX } from './open.js';
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from './webhook.js';

/** What a Scrip must know. */
export interface ScripOptions {
  /** Where webhooks of the adapter are received. */
  readonly url: string;
  /** What it signs with: the adapter's `webhookSecret`. */
  readonly secret: string;
  /** Only in this queue. Left out: in all; tickets that are no handed-over conversation are passed over. */
  readonly queue?: string;
  /** How long RT waits for an answer, in seconds. Default 3: agents wait as long when nobody answers. */
  readonly timeoutSeconds?: number;
}

/** A Scrip, ready for either way to install it. */
export interface RequestTrackerScrip {
  /** Under this name it is found again. */
  readonly description: string;
  /** For the box "Custom condition". */
  readonly condition: string;
  /** For the box "Custom action preparation code". Left empty, RT would never come to the commit code. */
  readonly prepare: string;
  /** For the box "Custom action commit code". */
  readonly commit: string;
  /** A file for `rt-setup-database --action insert --datafile`, which makes the Scrip or brings it up to date. */
  readonly datafile: string;
}

const DESCRIPTION = 'handoff-kit: tell of replies';

/**
 * Writes the Scrip that tells the adapter what happens in its tickets. RT 5 has no other webhook, and its REST
 * interface makes no Scrips.
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
    throw configError('requestTrackerScrip: url must be where the adapter receives webhooks, http or https.');
  }
  if (!Number.isInteger(timeoutSeconds) || timeoutSeconds < 1) {
    throw configError('requestTrackerScrip: timeoutSeconds must be a whole number, 1 or more.');
  }
  const commit = COMMIT.replace('{{url}}', () => perl('url', url))
    .replace('{{secret}}', () => perl('secret', secret))
    .replace('{{timeout}}', String(timeoutSeconds));
  const datafile = DATAFILE.replaceAll('{{description}}', () => perl('description', DESCRIPTION))
    .replace('{{queue}}', () => (queue === undefined ? '0' : perl('queue', queue)))
    .replace('{{prepare}}', PREPARE)
    .replace('{{condition}}', () => CONDITION)
    .replace('{{commit}}', () => commit);
  return { description: DESCRIPTION, condition: CONDITION, prepare: PREPARE, commit, datafile };
}

/** A string of Perl. What is not plain ASCII would depend on how RT reads the code. */
function perl(name: string, value: string): string {
  if (!/^[\x20-\x7e]+$/.test(value)) {
    throw configError(`requestTrackerScrip: ${name} may have printable ASCII characters only.`);
  }
  return `'${value.replace(/[\\']/g, '\\$&')}'`;
}

const CONDITION = `# handoff-kit: replies, comments, statuses and owners of tickets that are handed-over conversations.
my $txn  = $self->TransactionObj;
my $type = $txn->Type // '';
my $told = $type =~ /^(?:Correspond|Comment|Status)$/
    || ( $type eq 'Set' && ( $txn->Field // '' ) eq 'Owner' );
return 0 unless $told;
my $links = $self->TicketObj->RefersTo;
while ( my $link = $links->Next ) {
    return 1 if index( $link->Target // '', '${LINK_PREFIX}' ) == 0;
}
return 0;
`;

const PREPARE = 'return 1;';

const COMMIT = `# handoff-kit: posts what happened, signed. RT goes on whatever becomes of it: what is not told is polled.
my $url     = {{url}};
my $secret  = {{secret}};
my $timeout = {{timeout}};
my $txn     = $self->TransactionObj;
my $problem = eval {
    local $SIG{__DIE__} = 'DEFAULT';
    require JSON;
    require Digest::SHA;
    require LWP::UserAgent;
    my $person = sub {
        my $user = shift;
        return {
            id         => $user->Id,
            login      => $user->Name // '',
            realName   => $user->RealName // '',
            privileged => $user->Privileged ? 1 : 0,
        };
    };
    my $words = sub {
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
    my $tell = sub {
        my $txn  = shift;
        my $type = $txn->Type eq 'Set' ? 'Owner' : $txn->Type;
        my %told = (
            transaction => $txn->Id,
            ticket      => $self->TicketObj->Id,
            type        => $type,
            creator     => $person->( $txn->CreatorObj ),
        );
        $told{status} = $txn->NewValue if $type eq 'Status';
        # Comments are told without their words: those stay in RT.
        $told{content} = $words->($txn) if $type eq 'Correspond';
        if ( $type eq 'Owner' ) {
            my $owner = RT::User->new( RT->SystemUser );
            $owner->Load( $txn->NewValue );
            $told{owner} = $person->($owner);
        }
        return \\%told;
    };
    my @told = ( $tell->($txn) );
    # A new status goes with the words before it: should they have been lost, they are not too late.
    if ( $txn->Type eq 'Status' ) {
        my $before = $self->TicketObj->Transactions;
        $before->Limit( FIELD => 'Type', VALUE => 'Correspond' );
        $before->Limit( FIELD => 'id', OPERATOR => '<', VALUE => $txn->Id );
        $before->OrderBy( FIELD => 'id', ORDER => 'DESC' );
        $before->RowsPerPage(1);
        my $last = $before->First;
        unshift @told, $tell->($last) if $last;
    }
    my $body  = JSON->new->utf8->canonical->encode( { told => \\@told } );
    my $time  = time;
    my $agent = LWP::UserAgent->new( timeout => $timeout, max_redirect => 0, max_size => 65536 );
    my $answer = $agent->post(
        $url,
        'Content-Type' => 'application/json',
        '${TIMESTAMP_HEADER}' => $time,
        '${SIGNATURE_HEADER}' => 'sha256=' . Digest::SHA::hmac_sha256_hex( "$time.$body", $secret ),
        Content => $body,
    );
    my $is_silent = ( $answer->header('Client-Warning') // '' ) eq 'Internal response';
    $answer->is_success ? '' : $is_silent ? 'nobody answered' : 'the answer was ' . $answer->code;
} // 'it failed: ' . $@;
RT->Logger->warning( 'handoff-kit was not told of transaction ' . $txn->Id . ': ' . $problem ) if $problem;
return 1;
`;

const DATAFILE = `# Tells handoff-kit what happens in the tickets of handed-over conversations.
# Install it on the machine of RT, and again whenever it has changed:
#   rt-setup-database-5 --action insert --skip-create --datafile <this file>
# It holds a secret: keep it from others, and delete it afterwards.
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
            print 'Brought Scrip ' . $scrip->Id . " up to date.\\n";
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
        print "Made Scrip $ok.\\n";
    },
);

1;
`;
