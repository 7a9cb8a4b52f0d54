# Seeds a new RT with a queue, the adapter's user, an agent and tokens, and prints them as JSON.
use strict;
use warnings;
use lib '/usr/local/share/request-tracker5/lib', '/usr/share/request-tracker5/lib';
use JSON;
use RT;
RT->LoadConfig;
RT->Init;

sub must {
    my ( $ok, $message, @others ) = @_;
    die "$message\n" unless $ok;
    return ( $ok, $message, @others );
}

my $queue = RT::Queue->new( RT->SystemUser );
must( $queue->Create( Name => 'Handoffs' ) );

# The rights that the README lists, and the additional ones of an agent.
my @kit   = qw(SeeQueue CreateTicket ShowTicket ReplyToTicket CommentOnTicket ModifyTicket);
my @agent = ( @kit, qw(ShowTicketComments OwnTicket TakeTicket) );

my %users = (
    kit      => { Name => 'handoff-kit', RealName => 'Customer chat', rights => \@kit },
    agent    => { Name => 'ada', RealName => 'Ada Agent', rights => \@agent },
    stranger => { Name => 'stranger', RealName => 'No Rights', rights => [] },
);
my %created;
for my $key ( sort keys %users ) {
    my %user     = %{ $users{$key} };
    my $rights   = delete $user{rights};
    my $password = "password of $user{Name}";
    my $record     = RT::User->new( RT->SystemUser );
    must( $record->Create( %user, EmailAddress => "$user{Name}\@rt.test", Password => $password, Privileged => 1 ) );
    must( $record->PrincipalObj->GrantRight( Right => $_, Object => $queue ) ) for @$rights;
    my $token = RT::AuthToken->new( RT->SystemUser );
    my ( undef, undef, $text ) = must( $token->Create( Owner => $record->Id, Description => 'test' ) );
    $created{$key} = { login => $user{Name}, password => $password, token => $text, id => $record->Id + 0 };
}

my $root = RT::User->new( RT->SystemUser );
$root->Load('root');
must( $root->SetPassword('password of root') );
$created{root} = { login => 'root', password => 'password of root' };

print encode_json( \%created ), "\n";
