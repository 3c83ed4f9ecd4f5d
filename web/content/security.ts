/** Protection of vaults. Each sentence is true of this version; tasks of an operator are named as such. */
import { inactivityDaysMax, inactivityDaysMin } from '#shared/rules/inactivity.ts';
import { passwordLengthMin } from '#shared/rules/passwords.ts';
import { deliveryLinkDays, privacyAnswerDays } from '#shared/rules/retention.ts';
import type { Section } from '#web/content/block.ts';

type SecurityTab = { id: string; title: string; sections: readonly Section[] };

const encryption: SecurityTab = {
  id: 'encryption',
  title: 'Encryption',
  sections: [
    {
      id: 'at-rest',
      title: 'Where it is stored',
      blocks: [
        'What you write is encrypted with AES-256 before it is stored. So are the titles, the recipients, and the names and phone numbers of your contacts.',
        'Each vault has a key of its own. That key is locked with a master key, which is kept apart from the database.',
        'Each text is bound to its place. A text that is moved to another row or another vault does not open.',
      ],
    },
    {
      id: 'in-the-clear',
      title: 'What is not encrypted',
      blocks: [
        'Your own name and email address, the email addresses of your contacts, categories, states and times. The service must find these to send a reminder on the right day.',
      ],
    },
    {
      id: 'in-transit',
      title: 'On the way',
      blocks: [
        'The server in front of Everkept encrypts what travels between your browser and us. Its operator sets up TLS 1.3 there.',
        'Where a vault is reached by https, browsers are told never to use an open connection again.',
        'Mail is handed on with TLS whenever the mail server offers it. An email never holds the words of a letter.',
      ],
    },
    {
      id: 'passwords',
      title: 'Passwords and links',
      blocks: [
        'A password is never stored. What we keep is made from it with Argon2id, which is slow on purpose.',
        'A link in an email opens one thing for one person, and ends. The database holds only a fingerprint of it, so that a stolen copy opens nothing.',
      ],
    },
    {
      id: 'who-holds-keys',
      title: 'Who holds the keys',
      blocks: [
        'The service does. It must deliver your letters when you can no longer help, so it must be able to open them.',
        'No page shows the content of a vault to the operator or to our staff.',
      ],
    },
  ],
};

const infrastructure: SecurityTab = {
  id: 'infrastructure',
  title: 'Infrastructure',
  sections: [
    {
      id: 'sign-in',
      title: 'Signing in',
      blocks: [
        `A password has at least ${passwordLengthMin} characters, and the most common ones are refused. Every wrong try makes the next one wait longer.`,
        'A new password signs out every other device at once. A session can be ended from our side too, since it is kept in the database.',
        'Nobody can find out here who has an account. Right and wrong addresses get the same answer.',
      ],
    },
    {
      id: 'pages',
      title: 'The pages',
      blocks: [
        'A page runs only scripts of ours, and loads nothing from other sites. A strict policy tells your browser to refuse the rest.',
        'Other sites can’t act in your name. Every change must come from a page of ours.',
        'Opening a link changes nothing: only a press does. Programs that check mail open links by themselves. The one exception is the link that verifies your address.',
      ],
    },
    {
      id: 'limits',
      title: 'Limits',
      blocks: ['How often something can be tried is limited, for each account and for each address on the internet.'],
    },
    {
      id: 'record',
      title: 'The record',
      blocks: [
        'Every change to a vault is recorded. The entries are chained, so that a removed or changed entry can be noticed.',
        'The logs of the server hold no letters, no passwords and no links.',
      ],
    },
    {
      id: 'outages',
      title: 'When something breaks',
      blocks: [
        'A breakdown can’t lead to a release. Time in which our service or our mail did not work is not counted as time you had to answer.',
        'A letter is delivered once. If a server stops in the middle, the same email goes out again with the same link.',
      ],
    },
  ],
};

const compliance: SecurityTab = {
  id: 'compliance',
  title: 'Compliance',
  sections: [
    {
      id: 'uk-law',
      title: 'The law in the United Kingdom',
      blocks: [
        'We follow the UK GDPR, the Data Protection Act 2018, and the rules on electronic communications.',
        `You can ask for a copy of your data, for a correction, or for deletion. We answer within ${privacyAnswerDays} days. The [privacy policy](/privacy-policy) says how.`,
        'You can also complain to the Information Commissioner’s Office.',
      ],
    },
    {
      id: 'cookies',
      title: 'Cookies',
      blocks: [
        'Only those that signing in needs: one for your session, and one that knows this device again, so that nobody can lock you out by guessing. That is why you see no banner.',
        'Your browser also keeps a few choices of yours, such as light or dark, hidden words, and whether keys are off. They are not sent to us.',
      ],
    },
    {
      id: 'certificates',
      title: 'Certificates',
      blocks: [
        'Everkept holds no security certificate from an outside body, and claims none.',
        'Tests that run with every change check the promises on this page.',
      ],
    },
    {
      id: 'access-for-all',
      title: 'Access for everybody',
      blocks: [
        'The pages are built to WCAG 2.2, level AA. They work with the keyboard alone, with screen readers, and when enlarged.',
      ],
    },
  ],
};

const globalAccess: SecurityTab = {
  id: 'global-access',
  title: 'Global Access',
  sections: [
    {
      id: 'from-anywhere',
      title: 'From anywhere',
      blocks: [
        'You can sign in from any country with a browser. Your contacts and recipients need no account.',
        'Dates are shown as the calendar in London has them.',
      ],
    },
    {
      id: 'who-may-what',
      title: 'Who may do what',
      blocks: [
        {
          facts: [
            ['You', 'Everything in your own vault, and nothing in anybody else’s.'],
            [
              'A trusted contact',
              'The titles and recipients of messages you marked as visible, while we ask them. Never the content.',
            ],
            ['A recipient', `One message, through a private link that works for ${deliveryLinkDays} days.`],
            ['The administrator', 'Accounts. Never the content of a vault, and never a release.'],
          ],
        },
        'These rules are kept by the server, not only by the pages. The data of other people looks as if it did not exist.',
      ],
    },
    {
      id: 'release-guards',
      title: 'Before anything is released',
      blocks: [
        `You choose a time of silence between ${inactivityDaysMin} and ${inactivityDaysMax} days. Before your silence leads to anything, we send you two reminders.`,
        'Each counts only once a mail server has accepted it, or has refused it permanently.',
        'As soon as we hear from you everything stops, until the last message is sent.',
      ],
    },
    {
      id: 'where-data-is',
      title: 'Where data is kept',
      blocks: [
        'On the machines that the operator has chosen. Everkept sends data only to the mail, text and storage services that the operator has set up.',
      ],
    },
  ],
};

export const securityTabs = [encryption, infrastructure, compliance, globalAccess] as const;
