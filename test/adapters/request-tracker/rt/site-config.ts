/** The paths of a private RT. */
export interface RtPaths {
  readonly config: string;
  readonly configFolder: string;
  readonly database: string;
  readonly mail: string;
  readonly sendmail: string;
  readonly cache: string;
  readonly sessions: string;
  readonly variable: string;
}

/** The paths of an RT in a folder, with its database in another. */
export const rtPathsIn = (folder: string, databases: string): RtPaths => ({
  config: `${folder}/RT_SiteConfig.pm`,
  configFolder: `${folder}/RT_SiteConfig.d`,
  database: `${databases}/rt.db`,
  mail: `${folder}/mail`,
  sendmail: `${folder}/sendmail`,
  cache: `${folder}/cache`,
  sessions: `${folder}/sessions`,
  variable: `${folder}/var`,
});

/** The configuration of an RT that writes only to its folder and sends no mail. */
export function siteConfig(places: RtPaths, port: number): string {
  return `Set($rtname, 'handoff-kit.test');
Set($Organization, 'handoff-kit.test');
Set($WebDomain, '127.0.0.1');
Set($WebPort, ${port});
Set($WebPath, '');
Set($Timezone, 'UTC');
Set($DatabaseType, 'SQLite');
Set($DatabaseName, '${places.database}');
Set($LogToSyslog, undef);
Set($LogToSTDERR, 'warning');
Set($MailCommand, 'sendmailpipe');
Set($SendmailPath, '${places.sendmail}');
# Each request with a token pays for this; the default is 12.
Set($BcryptCost, 4);
Set($WebSessionClass, 'Apache::Session::File');
$RT::VarPath = '${places.variable}';
$RT::MasonDataDir = '${places.cache}';
$RT::MasonSessionDir = '${places.sessions}';
1;
`;
}
