import { randomBytes } from 'node:crypto';
import { Argument, type Command, Option } from 'commander';
import { type AgentRole, createAgents, ROLES, readAudit } from '../../desk/records.js';
import { printable } from '../../internal/readable-log.js';
import {
  addDatabaseFlags,
  DATABASE_HELP,
  type DatabaseFlags,
  runWithDocumentStore,
} from '../database-flags.js';
import { parseCount } from '../flags.js';
import { readText } from '../input.js';
import { EXIT, print, table, UsageError } from '../output.js';

/** `desk`: the agents of the desk, and its audit log. */
export function define(desk: Command): void {
  desk.description('Manages the desk: the agents who may log in, and the audit log of their actions.');
  defineAddAgent(desk);
  defineSetRole(desk);
  defineListAgents(desk);
  defineRemoveAgent(desk);
  defineAudit(desk);
}

type AddAgentFlags = DatabaseFlags & {
  readonly name?: string;
  readonly role?: AgentRole;
  readonly passwordStdin?: boolean;
};

const ADD_HELP = `${DATABASE_HELP}

Without --password-stdin a password is generated and shown once. For an existing agent, password and name are
replaced. The first agent becomes an administrator, later ones agents, unless --role says otherwise.

Examples:
  $ handoff-kit desk add-agent ann --name 'Ann Lee'
  $ handoff-kit desk add-agent ben --role supervisor
  $ printf '%s' "$PASSWORD" | handoff-kit desk add-agent ann --name 'Ann Lee' --password-stdin

Exit codes: 0 success, 1 failure, 2 wrong use`;

function defineAddAgent(desk: Command): void {
  const command = desk
    .command('add-agent <login>')
    .summary('add an agent, or set a new password')
    .description(
      'Adds an agent who can log in at the desk; for an existing agent, sets a new name and password.',
    )
    .option('--name <name>', 'the name that other agents see; default the login')
    .addOption(new Option('--role <role>', 'what the agent may do').choices(ROLES))
    .option('--password-stdin', 'read the password from standard input');
  addDatabaseFlags(command).addHelpText('after', ADD_HELP).action(addAgent);
}

function addAgent(
  login: string,
  { name = login, role, passwordStdin, ...flags }: AddAgentFlags,
): Promise<void> {
  return runWithDocumentStore(
    flags,
    async ({ store, name: database }, output) => {
      const given = passwordStdin ? (await readText('-')).replace(/\r?\n$/, '') : null;
      if (given === '') throw new UsageError('standard input was empty. Give the password there.');
      const password = given ?? randomBytes(12).toString('base64url');
      const agents = createAgents(store);
      const done = await agents.save({ id: login, name, ...(role && { role }) }, password);
      const saved = (await agents.get(login))?.role ?? role;
      const shown = given === null ? `\nPassword: ${password}\nIt is not shown again.` : '';
      const data = { login, name, role: saved, done, ...(given === null && { password }) };
      print(output, data, `${login} was ${done} in ${database} as ${saved}.${shown}`);
      return EXIT.ok;
    },
    { create: true },
  );
}

const ROLE_HELP = `${DATABASE_HELP}

An agent answers conversations. A supervisor also takes over conversations of others, teaches the bot, changes the
canned replies and settles dead letters. An administrator also manages agents and reads the audit log.

Exit codes: 0 success, 1 there is no such agent, 2 wrong use`;

function defineSetRole(desk: Command): void {
  const command = desk
    .command('set-role <login>')
    .addArgument(new Argument('<role>', 'the new role').choices(ROLES))
    .summary('give an agent another role')
    .description('Gives an agent another role, which applies from their next request on.');
  addDatabaseFlags(command).addHelpText('after', ROLE_HELP).action(setRole);
}

function setRole(login: string, role: AgentRole, flags: DatabaseFlags): Promise<void> {
  return runWithDocumentStore(flags, async ({ store, name }, output) => {
    const changed = await createAgents(store).setRole(login, role);
    print(
      output,
      { login, role, changed },
      changed ? `${login} is ${role}.` : `There is no ${login} in ${name}.`,
    );
    return changed ? EXIT.ok : EXIT.no;
  });
}

function defineListAgents(desk: Command): void {
  const command = desk
    .command('list-agents')
    .summary('list the agents')
    .description('Lists the agents who may log in at the desk.');
  addDatabaseFlags(command).addHelpText('after', DATABASE_HELP).action(listAgents);
}

function listAgents(flags: DatabaseFlags): Promise<void> {
  return runWithDocumentStore(flags, async ({ store, name }, output) => {
    const agents = await createAgents(store).list();
    const rows = agents.map((agent) => [agent.id, agent.name, agent.role].map(printable));
    const none = `There are no agents in ${name}. Add one: handoff-kit desk add-agent`;
    print(output, { agents }, rows.length > 0 ? table(rows) : none);
    return EXIT.ok;
  });
}

const REMOVE_HELP = `${DATABASE_HELP}

A logged-in agent is logged out with the next request. Their conversations stay assigned until another agent takes
them over.

Exit codes: 0 success, 1 there is no such agent, 2 wrong use`;

function defineRemoveAgent(desk: Command): void {
  const command = desk
    .command('remove-agent <login>')
    .summary('remove an agent')
    .description('Removes an agent, who can no longer log in at the desk.');
  addDatabaseFlags(command).addHelpText('after', REMOVE_HELP).action(removeAgent);
}

function removeAgent(login: string, flags: DatabaseFlags): Promise<void> {
  return runWithDocumentStore(flags, async ({ store, name }, output) => {
    const removed = await createAgents(store).remove(login);
    print(output, { login, removed }, removed ? `${login} was removed.` : `There is no ${login} in ${name}.`);
    return removed ? EXIT.ok : EXIT.no;
  });
}

type AuditFlags = DatabaseFlags & { readonly last: number };

function defineAudit(desk: Command): void {
  const command = desk
    .command('audit')
    .summary('show the audit log')
    .description(
      'Shows the actions at the desk with time, agent, address and what changed. The log holds no text of messages.',
    )
    .option('--last <number>', 'the number of lines, the latest', parseCount(100_000), 100);
  addDatabaseFlags(command).addHelpText('after', DATABASE_HELP).action(showAudit);
}

function showAudit({ last, ...flags }: AuditFlags): Promise<void> {
  return runWithDocumentStore(flags, async ({ store }, output) => {
    const lines = await readAudit(store, last);
    const rows = lines.map(
      ({ at, agent, from = '-', action, conversationId = '', detail = '', before, after }) => {
        const change = after
          ? `${before ? JSON.stringify(before) : ''} -> ${JSON.stringify(after)}`.trim()
          : '';
        return [at.toISOString(), agent ?? '-', from, action, conversationId, detail, change].map(printable);
      },
    );
    print(output, { lines }, rows.length > 0 ? table(rows) : 'The audit log is empty.');
    return EXIT.ok;
  });
}
