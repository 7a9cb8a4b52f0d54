/** ES modules need no transform. The test is in the parent folder, beside those of other frameworks. */
export default { rootDir: '..', testMatch: ['<rootDir>/jest.test.js'], transform: {} };
