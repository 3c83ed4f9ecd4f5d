/** The user guide: the first steps, and what each part of a vault does. */
import { fileBytesMax } from '#shared/rules/files.ts';
import { lastReminderLeadDays } from '#shared/rules/inactivity.ts';
import { bytesPerMegabyte, type Plan, plans } from '#shared/rules/plans.ts';
import { deliveryLinkDays } from '#shared/rules/retention.ts';
import type { Section } from '#web/content/block.ts';
import { exampleSchedule, offeredDaysInRow } from '#web/content/silence.ts';

export const quickStart: readonly { title: string; text: string }[] = [
  {
    title: 'Create your account',
    text: '[Create an account](/register) with your name, an email address and a password. Press the link in the email we send you.',
  },
  {
    title: 'Set up your profile',
    text: 'Your name stands on every letter. Add a phone number in the [set-up wizard](/easy-setup), or later under Reminders by text on your dashboard. Reminders can then reach you by text as well.',
  },
  {
    title: 'Add trusted contacts',
    text: 'Name one or two people who would know if something happened to you. We email them, and they accept.',
  },
  {
    title: 'Create messages',
    text: 'Write to one person, or to several. Save it as a draft, or as ready to send.',
  },
  {
    title: 'Upload documents',
    text: `Keep copies of papers your family would look for. The document vault starts with the ${plans.essential.title} plan.`,
  },
  {
    title: 'Configure release settings',
    text: `Choose how long you may be silent: ${offeredDaysInRow} days. Choose whether your messages go out by themselves, or only when a contact confirms.`,
  },
];

const { free, essential, premium, lifetime } = plans;
const gigabytesOf = ({ storageLimitMb }: Plan) => storageLimitMb / 1_000;
const storageWords = `In all, ${free.storageLimitMb} MB fit on ${free.title}, ${essential.storageLimitMb} MB on ${essential.title}, ${gigabytesOf(premium)} GB on ${premium.title} and ${gigabytesOf(lifetime)} GB on ${lifetime.title}.`;

type GuideTab = { id: string; title: string; sections: readonly Section[] };

const messages: GuideTab = {
  id: 'messages',
  title: 'Messages',
  sections: [
    {
      id: 'writing',
      title: 'Writing',
      blocks: [
        'Open Messages and choose Create Message. A title, an email address and your words are all it needs.',
        'What you type is kept while you write. You can look at the letter as its recipient will see it.',
      ],
    },
    {
      id: 'draft-or-ready',
      title: 'Draft or ready',
      blocks: [
        'A draft stays with you, whatever happens. Only messages saved with Save & Ready to Send are ever released.',
        'You can go back and change a message until it is delivered.',
      ],
    },
    {
      id: 'how-it-arrives',
      title: 'How it arrives',
      blocks: [
        `Its recipient gets an email with a private link, which works for ${deliveryLinkDays} days. The letter can be printed and saved.`,
        'They need no account. The page shows the letter, who wrote it, and when.',
      ],
    },
  ],
};

const documents: GuideTab = {
  id: 'documents',
  title: 'Documents',
  sections: [
    {
      id: 'what-to-keep',
      title: 'What to keep',
      blocks: [
        'Copies of policies, deeds, account lists, instructions, photographs. Give each a name that somebody else would understand.',
        `A file may have up to ${fileBytesMax / bytesPerMegabyte} MB. ${storageWords} Your plan stands in Account & Billing.`,
      ],
    },
    {
      id: 'not-a-will',
      title: 'Not a will',
      blocks: [
        'A file in this vault is not a valid will. Keep the signed paper safe, and say here where it is and who the executors are.',
      ],
    },
    {
      id: 'passwords',
      title: 'No passwords',
      blocks: ['Do not keep passwords here. Set up the emergency access of a password manager, and say where it is.'],
    },
  ],
};

const trustedContacts: GuideTab = {
  id: 'trusted-contacts',
  title: 'Trusted Contacts',
  sections: [
    {
      id: 'whom-to-choose',
      title: 'Whom to choose',
      blocks: [
        'Somebody who would hear of it if you died or fell ill, and who answers email. Two people are safer than one.',
        'Talk to them first. An invitation from us should not be a surprise.',
      ],
    },
    {
      id: 'what-they-are-asked',
      title: 'What they are asked',
      blocks: [
        `If you are silent for ${exampleSchedule.inactivityDays} days, or the time you chose, we ask them whether they know how you are.`,
        'If they have heard from you, they cancel. If you have died or can’t act, they confirm, and say why.',
        'The [demonstration](/trusted-contact-demo) shows their page, with made-up people.',
      ],
    },
    {
      id: 'what-they-see',
      title: 'What they see',
      blocks: [
        'Titles and recipients of messages you marked as visible. The others are only counted. They never see what you wrote.',
      ],
    },
  ],
};

const securityAndPrivacy: GuideTab = {
  id: 'security-privacy',
  title: 'Security & Privacy',
  sections: [
    {
      id: 'staying-in-touch',
      title: 'Staying in touch with us',
      blocks: [
        'Signing in tells us that you are there. So does Check In on the dashboard, and the button behind the link in a reminder.',
        'With a phone number, reminders also come by text. You give it, change it and remove it on the dashboard, under Reminders by text. We text a code to a new number, and use it only once you have typed the code there. Reply YES to a text to check in, or STOP for no more of them.',
        'A phone or computer can also show on its screen that we wait for word from you. Switch that on under Privacy & Security, on each device. The notice names no one, and it never counts as received.',
        `With ${exampleSchedule.inactivityDays} days, the first reminder comes on day ${exampleSchedule.firstReminderDay} and the last on day ${exampleSchedule.lastReminderDay}. That is ${lastReminderLeadDays} days before we ask your contacts.`,
      ],
    },
    {
      id: 'keeping-it-safe',
      title: 'Keeping it safe',
      blocks: [
        'Choose a password you use nowhere else. Keep your email address up to date, since every reminder goes there.',
        'Some steps ask for your password again, if you signed in more than ten minutes ago. They are changes to your trusted contacts, release settings or phone number, an export, and the end of your account. So nobody else can take them at a screen you left. One answer holds for ten minutes.',
        'We never ask for your password by email or by phone.',
      ],
    },
    {
      id: 'read-more',
      title: 'Read more',
      blocks: [
        'How your letters are protected: [Security](/security). What we keep and for how long: [Privacy policy](/privacy-policy). Short answers: [FAQ](/faq).',
      ],
    },
  ],
};

export const guideTabs = [messages, documents, trustedContacts, securityAndPrivacy] as const;
