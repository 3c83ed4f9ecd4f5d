/** The words of the landing page. The story, the support hours and the example people are the operator's to replace. */
import { privacyAnswerDays, undeliveredAfterPaymentMonths } from '#shared/rules/retention.ts';

export const exampleLetter = {
  date: 'Whitby, 2 March 2026',
  greeting: 'Dear Nell,',
  paragraphs: [
    'If this has reached you, then I have died, or I have been quiet for so long that someone has kindly said it is time. Either way: put the kettle on first.',
    'The blue tin on the top shelf has the photographs. Your grandmother is the one laughing. The recipe you keep asking for is under them, and yes, it was always the lemon.',
    'You once asked what I was proudest of. I said the boat. It was never the boat.',
    'Look after your mother. Let her look after you. Go to the sea when you can.',
  ],
  signature: 'Dad',
} as const;

export type ExampleStep = { day: string; date: string; kind: 'past' | 'warn' | 'end'; text: string };

/** Course of the example letter: a check-in every 30 days, then 180 days of silence. */
export const exampleSteps: readonly ExampleStep[] = [
  { day: '2026-01-12', date: '12 January', kind: 'past', text: 'Sam checked in' },
  { day: '2026-02-11', date: '11 February', kind: 'past', text: 'Sam checked in' },
  { day: '2026-03-13', date: '13 March', kind: 'past', text: 'The last check-in' },
  { day: '2026-06-11', date: '11 June', kind: 'warn', text: 'First reminder to Sam' },
  { day: '2026-08-30', date: '30 August', kind: 'warn', text: 'Last reminder' },
  { day: '2026-09-09', date: '9 September', kind: 'warn', text: 'Priya and Tom asked' },
  { day: '2026-09-10', date: '10 September', kind: 'end', text: 'Priya confirmed. The\u00a0letter was sent.' },
];

export const story = [
  'When my father died, he left a tidy desk, a good will, and not one word to any of us. He was not a cold man. He was a man who thought there would be a Sunday for it.',
  'We spent that winter guessing: at passwords, at wishes, at what he would have said to a grandson who was born in the spring. I kept thinking how little it would have taken. A page, kept somewhere safe. A person to say when it was time.',
  'Everkept is that page and that person. It asks you, now and then, whether you are there. It keeps what you wrote shut until you no longer answer. Then it checks with the people you chose before it delivers a single word.',
] as const;

export const steps = [
  {
    drawing: 'letter',
    title: 'Create your vault',
    text: 'Write your first letter in ten minutes. Add the papers your family would look for. Everything is encrypted.',
  },
  {
    drawing: 'hands',
    title: 'Choose trusted contacts',
    text: 'Name one or two people who would know. They see nothing of what you wrote. We only ask them what has happened, if you stop answering.',
  },
  {
    drawing: 'post',
    title: 'Automatic delivery',
    text: 'If you stop answering, we remind you, then we ask them. Only after that do your letters go out, each reader’s by a private link.',
  },
] as const;

export const questions = [
  {
    question: 'What if I am only on a long holiday?',
    answer:
      'We write to you twice before we write to anybody else. One press on Check In, and everything starts again from that day. Nothing is sent, and nobody is worried.',
  },
  {
    question: 'Can my trusted contacts read my letters?',
    answer:
      'No. They can tell us what has happened to you. They see only the titles and recipients of messages you marked as visible, and never the content.',
  },
  {
    question: 'Is this a will?',
    answer: 'No. A file in this vault is not a valid will. Keep the signed paper safe, and say here where it is.',
  },
  {
    question: 'What if I stop paying?',
    answer: `Nothing is deleted or hidden at once. You can’t add more until you are back within the limits of your plan, and what is above them is kept for ${undeliveredAfterPaymentMonths} months. A process that has begun to deliver your letters is never stopped by a bill.`,
  },
] as const;

export const protections = [
  {
    title: 'AES-256 encryption',
    text: 'Letters and files are locked before they are stored. Each vault has a key of its own.',
  },
  {
    title: 'GDPR compliant',
    text: `Ask for a copy of your data, or for its deletion, at any time. We answer within ${privacyAnswerDays} days. We sell nothing and track nobody.`,
  },
  {
    title: 'SSL/TLS secured',
    text: 'Your browser reaches us over an encrypted connection. Our emails hold a link, and never your words.',
  },
  {
    title: 'Secure access',
    text: 'Guessing a password gets slower with every try. A new one signs out every device. What is done to your vault is recorded.',
  },
] as const;

export const supportHours = 'Monday to Friday, 9 am to 5 pm, UK time';
