import { configError, requireOptional } from '../../internal/index.js';

const PACKAGES = ['nodemailer', 'imapflow', 'mailparser'] as const;

/** Throws if a package that this adapter needs is not installed. */
export function checkPackages(
  resolve: (name: string) => unknown = (name) => requireOptional.resolve(name),
): void {
  const isMissing = (name: string): boolean => {
    try {
      resolve(name);
      return false;
    } catch {
      return true;
    }
  };
  const missing = PACKAGES.filter(isMissing);
  if (missing.length === 0) return;
  throw configError(
    `email: this adapter needs the packages ${PACKAGES.join(', ')}. Install what is missing: npm install ${missing.join(' ')}`,
  );
}

/** Loads nodemailer, which sends. */
export const loadNodemailer = async () => import('nodemailer');
/** Loads imapflow, which reads the mailbox. */
export const loadImapFlow = async () => import('imapflow');
/** Loads mailparser, which decodes mails. */
export const loadMailParser = async () => import('mailparser');
