/**
 * What each role may do. Types and data only: the server checks it, and the page hides what is not allowed.
 *
 * @module
 */

/** A role of an agent. */
export type AgentRole = 'agent' | 'supervisor' | 'administrator';

/** The roles, from the least to the most powerful. */
export const ROLES: readonly AgentRole[] = ['agent', 'supervisor', 'administrator'];

/** What each permission allows, and the lowest role that has it. Higher roles have it too. */
const LOWEST_ROLE = {
  /** Read conversations, claim waiting ones, answer and close one's own, write notes, use canned replies. */
  answer: 'agent',
  /** Change one's own password and second factor, see and end one's own sessions. */
  account: 'agent',
  /** Take over or transfer a conversation of another agent. */
  takeOver: 'supervisor',
  /** Teach the bot. */
  teach: 'supervisor',
  /** Change the canned replies that all agents share. */
  editCanned: 'supervisor',
  /** Read and download the report, which has the numbers of each agent. */
  readReport: 'supervisor',
  /** Read, retry and discard dead letters, which hold texts of customers. */
  deadLetters: 'supervisor',
  /** Add and remove agents, set their roles, passwords and teams, the assignment rules and the business hours. */
  manageAgents: 'administrator',
  /** Search and export the audit log. */
  readAudit: 'administrator',
  /** Create and revoke tokens of the API, and webhooks. */
  manageApi: 'administrator',
} as const satisfies Record<string, AgentRole>;

/** Something that not every agent may do. */
export type Permission = keyof typeof LOWEST_ROLE;

export const PERMISSIONS = Object.keys(LOWEST_ROLE) as readonly Permission[];

/** The lowest role that has a permission. */
export const lowestRoleWith = (permission: Permission): AgentRole => LOWEST_ROLE[permission];

/** Whether a role includes a permission. */
export const may = (role: AgentRole, permission: Permission): boolean =>
  ROLES.indexOf(role) >= ROLES.indexOf(LOWEST_ROLE[permission]);

/** All permissions of a role. */
export const permissionsOf = (role: AgentRole): readonly Permission[] =>
  PERMISSIONS.filter((permission) => may(role, permission));

/** Whether a text is the name of a role. */
export const isRole = (text: unknown): text is AgentRole => ROLES.some((role) => role === text);
