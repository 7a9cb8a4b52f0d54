import type { Command } from 'commander';

/** A command in the list of the help. Its flags and its code are loaded when the command line names it. */
export interface ListedCommand {
  readonly name: string;
  /** Its flags and arguments, shown behind the name. */
  readonly takes?: string;
  readonly summary: string;
  /** Set for commands without settings: `.env` is not read. */
  readonly withoutSettings?: true;
  readonly load: () => Promise<CommandModule>;
}

/** The module of a command. */
export interface CommandModule {
  /** Adds description, flags, arguments and action to a command that has a name and a summary. */
  readonly define: (command: Command) => void;
}

/** Every command, in the order in which help lists them. */
export const COMMANDS: readonly ListedCommand[] = [
  {
    name: 'demo',
    takes: '[options]',
    summary: 'show a whole handoff on this machine, without settings',
    withoutSettings: true,
    load: () => import('./commands/demo.js'),
  },
  {
    name: 'init',
    takes: '[options] [folder]',
    summary: 'write a new project with a receiver',
    withoutSettings: true,
    load: () => import('./commands/init.js'),
  },
  {
    name: 'serve',
    takes: '[options]',
    summary: 'receive webhooks and print each event',
    load: () => import('./commands/serve.js'),
  },
  {
    name: 'inbox',
    summary: 'list, retry and discard stored events',
    load: () => import('./commands/inbox.js'),
  },
  {
    name: 'outbox',
    summary: 'list, retry and discard stored replies',
    load: () => import('./commands/outbox.js'),
  },
  {
    name: 'forget',
    takes: '[options]',
    summary: "remove a user's data from inbox, outbox and dead letters",
    load: () => import('./commands/forget.js'),
  },
  {
    name: 'backup',
    takes: '[options] <copy>',
    summary: 'copy the SQLite file while the server runs',
    load: () => import('./commands/backup.js'),
  },
  {
    name: 'storage',
    summary: 'check, compact and export the database',
    load: () => import('./commands/storage.js'),
  },
  {
    name: 'adapter',
    summary: 'check the connection to a helpdesk',
    load: () => import('./commands/adapter.js'),
  },
  {
    name: 'desk',
    summary: 'manage the agents of the desk, and read its audit log',
    load: () => import('./commands/desk.js'),
  },
  {
    name: 'simulate',
    takes: '[options]',
    summary: 'play the platform for your own receiver',
    load: () => import('./commands/simulate.js'),
  },
  {
    name: 'send',
    summary: 'send one event to any receiver and check its answer',
    load: () => import('./commands/send.js'),
  },
  {
    name: 'doctor',
    takes: '[options]',
    summary: 'examine any running receiver, made with this package or not',
    load: () => import('./commands/doctor.js'),
  },
  {
    name: 'record',
    takes: '[options]',
    summary: 'record the exchanges of any receiver, without credentials',
    load: () => import('./commands/record.js'),
  },
  {
    name: 'replay',
    takes: '[options] <file>',
    summary: 'send a recording to a receiver again and report what differs',
    load: () => import('./commands/replay.js'),
  },
  {
    name: 'check',
    takes: '[options]',
    summary: "make the platform test the bot's webhooks",
    load: () => import('./commands/check.js'),
  },
  {
    name: 'health',
    takes: '[options]',
    summary: 'check whether the platform is available',
    load: () => import('./commands/health.js'),
  },
  {
    name: 'reply',
    takes: '[options] <text>',
    summary: 'send a reply to a user during a handoff',
    load: () => import('./commands/reply.js'),
  },
  {
    name: 'close',
    takes: '[options]',
    summary: 'end a handoff',
    load: () => import('./commands/close.js'),
  },
  {
    name: 'knowledge',
    summary: "add to and update the bot's knowledge, or keep it in a folder",
    load: () => import('./commands/knowledge.js'),
  },
  {
    name: 'completion',
    takes: '<shell>',
    summary: 'print a script that completes commands and flags in a shell',
    withoutSettings: true,
    load: async () => {
      const { define } = await import('./commands/completion.js');
      return { define: (command) => define(command, COMMANDS) };
    },
  },
];
