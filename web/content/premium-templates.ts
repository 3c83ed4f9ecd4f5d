import type { Template } from './templates.ts';

const wishes: Template = {
  id: 'letter-of-wishes-template',
  title: 'Letter of Wishes',
  description: 'What you would like your executors to know beside the will: who should have what, and why.',
  note: 'This is not legal advice. A letter of wishes is not binding and does not change a will. Where both speak of the same thing, the will counts. Tell your executors where this letter is.',
  content: `LETTER OF WISHES OF [Your full name]

This letter goes with my will and is not part of it. I know that it is not binding. I ask my executors to be guided by it.

TO MY EXECUTORS
To [First executor: full name] and [Second executor: full name].
My signed will is kept at [Where the signed will is].

THINGS THAT MEAN SOMETHING
I would like [First keepsake: what it is] to go to [First keepsake: who it is for]. The reason: [First keepsake: why].
I would like [Second keepsake: what it is] to go to [Second keepsake: who it is for]. The reason: [Second keepsake: why].
I would like [Third keepsake: what it is] to go to [Third keepsake: who it is for]. The reason: [Third keepsake: why].
If two people would like the same thing, please decide like this: [How to decide between people].

WHY MY WILL IS AS IT IS
What I want those who read it to understand: [What you want them to understand].

PEOPLE WHO DEPEND ON ME
Who they are: ____________________________
What matters most in their days: ____________________________
Who knows them well and can be asked: ____________________________

WHAT I WOULD LIKE TO STAY PRIVATE
What nobody needs to read or keep: ____________________________

Signature: ____________________________
Date: ____________________
`,
};

const funeral: Template = {
  id: 'funeral-wishes-template',
  title: 'Funeral Wishes',
  description: 'The day as you would like it, so that nobody has to guess.',
  note: 'This is not legal advice. In most of the United Kingdom funeral wishes are not binding, but they are a great help. Keep them where they are found in the first days, not only with the will.',
  content: `FUNERAL WISHES OF [Your full name]

These are my wishes. In most of the United Kingdom they are not binding. Where something is too hard or costs too much, do what is right for you.

FIRST
Please ask [Person who arranges it: full name] to arrange the funeral.
How to reach them: [Person who arranges it: phone or email]
Funeral plan, firm and number: ____________________________
Money set aside, and where: ____________________________

BURIAL OR CREMATION
I would like [Burial, cremation or something else].
The place: ____________________________
What should become of the ashes, or stand at the grave: ____________________________
Faith, belief or none, and what follows from it: ____________________________

THE SERVICE
Who should lead it: ____________________________
Music: ____________________________
Readings: ____________________________
Who may like to speak: ____________________________
Flowers, or gifts to: ____________________________
What people should wear: ____________________________

WHO SHOULD KNOW
Please tell first: ____________________________
Where the list of the others is: ____________________________
What a notice may say: ____________________________
A photograph I like: ____________________________

WHAT I DO NOT WANT
Please leave out: ____________________________

Last updated: ____________________
`,
};

const executors: Template = {
  id: 'executors-notes-template',
  title: 'Notes for My Executors',
  description: 'Where everything is, in the order in which it is needed.',
  note: 'This is not legal advice. Never type a password, a PIN or a recovery phrase here. Say where access is kept instead.',
  content: `NOTES FOR MY EXECUTORS, FROM [Your full name]

Thank you for doing this. Take your time: few things are as urgent as they look. Never pay anybody because of a call or a letter alone.

THE PAPERS
Signed will: ____________________________
Birth and marriage certificates: ____________________________
Passport and driving licence: ____________________________
National Insurance number: ____________________
House deeds or tenancy: ____________________________

WHO CAN HELP
Solicitor: ____________________________
Accountant: ____________________________
Employer or business partner: ____________________________
The person who knows my papers best: [Person who knows your papers]

MONEY
Banks and building societies: ____________________________
Pensions: ____________________________
Life cover: ____________________________
Savings, shares and Premium Bonds: ____________________________
Mortgage, loans and cards: ____________________________
Money that others owe me: ____________________________

THE HOME
Who has a key: ____________________________
Insurer, to be told that nobody lives there: ____________________________
Gas, electricity and water: ____________________________
Alarm, stopcock and fuse box: ____________________________
Post that should be redirected to: ____________________________

WHAT TO STOP
Subscriptions and memberships: ____________________________
Regular gifts and payments: ____________________________

DIGITAL LIFE
My list of accounts, without passwords, is at [Where the list of accounts is].
How my phone and computer can be opened is described at [Place of the description].

Last updated: ____________________
`,
};

const pets: Template = {
  id: 'pet-care-template',
  title: 'Care of My Pets',
  description: 'Who takes them, what they eat, and what makes them feel at home.',
  note: 'This is not legal advice. A promise to take a pet is not binding, so ask the person first, and name a second one.',
  content: `CARE OF [Pet: name], FROM [Your full name]

TODAY
Who can come at once: [Person who comes at once]
How to reach them: [Person who comes at once: phone]
Who has a key: ____________________________
Where food and lead are: ____________________________

A NEW HOME
I have asked [New home: full name], who said yes.
How to reach them: [New home: phone or email]
If they cannot: ____________________________
Charity that would help, and membership number: ____________________________

ABOUT THEM
Kind, breed and age: ____________________________
Microchip number: ____________________
Vet, and phone: ____________________________
Insurance: ____________________________
Health and medicines: ____________________________
Food, how much and when: ____________________________

WHAT THEY LIKE
A good day: ____________________________
What frightens them: ____________________________
Words they know: ____________________________
Where they sleep: ____________________________

Last updated: ____________________
`,
};

/** Templates of premium plans, in addition to those of every plan with templates. */
export const premiumTemplates: readonly Template[] = [wishes, funeral, executors, pets];
