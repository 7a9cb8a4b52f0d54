/** The package loads its database driver and its writer thread itself, so it stays out of the bundle. */
export default { poweredByHeader: false, serverExternalPackages: ['handoff-kit'] };
