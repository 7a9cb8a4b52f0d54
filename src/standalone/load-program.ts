/**
 * Loads what runs the receiver as a program: a web server, the receiver, the bridge and what checks the settings.
 * That is most of this package, and those who only ask for the name of a setting or open a database do without it.
 */
export const loadProgram = () => import('./program.js');
