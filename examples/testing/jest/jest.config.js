/** ES modules run as they are, so nothing is transformed. The test lies above, beside the other frameworks'. */
export default { rootDir: '..', testMatch: ['<rootDir>/jest.test.js'], transform: {} };
