/** handoff-kit loads its database driver and writer thread at run time, so it must not be bundled. */
export default { poweredByHeader: false, serverExternalPackages: ['handoff-kit'] };
