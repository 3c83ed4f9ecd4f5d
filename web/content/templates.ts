export type Template = {
  /** Names the template in the address, its draft and its file. */
  id: string;
  title: string;
  description: string;
  /** Shown above the template, in every state. */
  note: string;
  /** `[placeholders]` and `Label: ____` blanks. Lines in capitals are headings. */
  content: string;
};

const will: Template = {
  id: 'basic-will-template',
  title: 'Basic Will Template',
  description: 'A draft for a simple estate in England and Wales, to print, sign and have witnessed.',
  note: 'This is not legal advice. It is for England and Wales only. It is a draft until it is printed, signed and witnessed, and a copy in this vault is not a valid will. See a solicitor if you have children from an earlier relationship, a business, property abroad, people who depend on you, or tax to plan. Scotland and Northern Ireland have rules of their own: read the guide on wills.',
  content: `LAST WILL OF [Your full name]

This template is not legal advice. It is for England and Wales only. It is a draft until it is printed, signed and witnessed.

1. ABOUT ME
I, [Your full name], of [Your address], born on [Your date of birth], make this will.
I revoke all earlier wills and codicils.

2. EXECUTORS
I appoint [First executor: full name] of [First executor: address] and [Second executor: full name] of [Second executor: address] as my executors.
If one of them cannot or will not act, I appoint [Reserve executor: full name] of [Reserve executor: address] in their place.

3. GUARDIANS
If I have children under 18 and nobody else has parental responsibility, I appoint [Guardian: full name] of [Guardian: address] as their guardian.

4. PARTICULAR GIFTS
I give [First gift: what it is] to [First gift: who receives it].
I give [Second gift: what it is] to [Second gift: who receives it].

5. GIFTS OF MONEY
I give £[First sum of money] to [First sum: who receives it].
I give £[Second sum of money] to [Second sum: who receives it].

6. THE REST OF WHAT I OWN
After my debts, tax, funeral and the costs of this will are paid, I give the rest of my estate to [Main beneficiary: full name].
If [Main beneficiary: full name] dies before me, I give it to [Substitute beneficiary: full name].

7. SURVIVAL
Nobody receives a gift under this will unless they live for 28 days after me.

8. FUNERAL WISHES
I would like [Burial, cremation or other wishes]. I know that these wishes are not binding.

9. DIGITAL ITEMS
My executors may deal with my digital accounts and property. A list of them, without passwords, is kept at [Where the list of digital accounts is].

SIGNED BY THE PERSON MAKING THIS WILL
Signature: ____________________________
Date of signature: ____________________

Both witnesses must be adults, must be present together when I sign, and must then sign themselves. Neither witness, nor the husband, wife or civil partner of a witness, may receive anything under this will.

FIRST WITNESS
Signature: ____________________________
Full name: ____________________________
Address: ____________________________
Job: ____________________________

SECOND WITNESS
Signature: ____________________________
Full name: ____________________________
Address: ____________________________
Job: ____________________________

Do not staple or clip anything to the signed will. Tell your executors where it is.
`,
};

const emergency: Template = {
  id: 'emergency-contact-information',
  title: 'Emergency Contact Information',
  description: 'One sheet for the fridge or the hall: who to call, and what a helper must know.',
  note: 'This is not legal or medical advice. Facts about your health are sensitive: share this sheet only with people who need it.',
  content: `EMERGENCY CONTACT INFORMATION FOR [Your full name]

Share this sheet only with people who need it. In an emergency, call 999.

ABOUT ME
Date of birth: ____________________
Address: ____________________________
Phone: ____________________

WHO TO CALL FIRST
Name: ____________________________
Relationship: ____________________
Phone: ____________________

WHO TO CALL SECOND
Name: ____________________________
Relationship: ____________________
Phone: ____________________

WHO TO CALL THIRD
Name: ____________________________
Relationship: ____________________
Phone: ____________________

MY HEALTH
Conditions and needs: ____________________________
Allergies: ____________________________
Medicines and doses: ____________________________
NHS number: ____________________
Blood group, if you know it: ____________________

MY DOCTOR
GP surgery: ____________________________
Phone: ____________________

PAPERS THAT SPEAK FOR ME
Where my lasting power of attorney is kept: ____________________________
Where my advance decision is kept: ____________________________

AT HOME
People who depend on me: ____________________________
Pets, and who can take them: ____________________________
Who has a key: ____________________________
Anything else a helper should know: ____________________________

Last updated: ____________________
`,
};

/** Questions for each account in the list. */
const digitalAccount = (title: string) => `${title}
Account or device: ____________________________
Provider: ____________________________
User name or a hint to it: ____________________________
What it holds: ____________________________
My wish (keep, pass on, memorialise or delete): ____________________
Legacy tool set up (yes or no): ____________________
Where access is kept: ____________________________
`;

const digital: Template = {
  id: 'digital-assets-inventory',
  title: 'Digital Assets Inventory',
  description: 'Your accounts, what each holds, and what should happen to it.',
  note: 'This is not legal advice. Never type a password, a PIN or a recovery phrase here. Say where access is kept instead.',
  content: `DIGITAL ASSETS INVENTORY OF [Your full name]

Never write a password, a PIN or a recovery phrase on this list. Say where access is kept instead.

Who should deal with these accounts: [Person who deals with your accounts]
How to reach them: [Their phone or email]
Where emergency access to my password manager is described: [Place of the emergency access]

${digitalAccount('MAIN EMAIL')}
${digitalAccount('PHONE AND COMPUTER')}
${digitalAccount('PHOTOGRAPHS AND FILES')}
${digitalAccount('SOCIAL MEDIA')}
${digitalAccount('MONEY ONLINE, POINTS AND CRYPTO')}
${digitalAccount('ANOTHER ACCOUNT')}
WHAT TO DELETE UNREAD
What to delete unread: ____________________________

Last updated: ____________________
`,
};

export const templates: readonly Template[] = [will, emergency, digital];
