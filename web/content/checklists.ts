import type { ChecklistId } from '#shared/rules/checklists.ts';

export type Priority = 'high' | 'medium' | 'low';

export type ChecklistCategory = {
  id: ChecklistId;
  title: string;
  iconType: 'financial' | 'utilities' | 'contacts' | 'funeral' | 'digital';
  priority: Priority;
  items: readonly string[];
};

/** Things to put in order while you can. One line, one act. */
export const checklists: readonly ChecklistCategory[] = [
  {
    id: 'financial',
    title: 'Financial',
    iconType: 'financial',
    priority: 'high',
    items: [
      'List your bank and savings accounts',
      'List your pensions, and fill in a nomination form for each',
      'Note your life cover and the policy numbers',
      'Note your mortgage or rent, and who it is paid to',
      'List your loans and credit cards',
      'List your shares, ISAs and Premium Bonds',
      'Note your benefits and your National Insurance number',
      'Put your tax papers together, with your tax reference',
      'Write down who owes you money, and how much',
      'Say where your signed will is, and who the executors are',
      'Say whether a power of attorney is registered, and where it is',
      'Note your solicitor, accountant or adviser',
    ],
  },
  {
    id: 'utilities',
    title: 'Home and utilities',
    iconType: 'utilities',
    priority: 'medium',
    items: [
      'Note your gas and electricity supplier and account number',
      'Note your water supplier and account number',
      'Note your council tax account',
      'Note your broadband and home phone',
      'Note your mobile contract, and where the SIM PIN is kept',
      'List your TV licence and streaming services',
      'Note your home insurance, and that it must hear of an empty house',
      'Write where the meters, stopcock, fuse box and alarm are',
      'Note when the boiler and appliances were last serviced',
      'Put the car papers together: V5C, insurance, MOT, parking',
      'List your subscriptions',
      'Say who has keys, and how to redirect your post',
    ],
  },
  {
    id: 'contacts',
    title: 'People to tell',
    iconType: 'contacts',
    priority: 'medium',
    items: [
      'Name your next of kin',
      'Name your executors, and tell them that you did',
      'Name your trusted contacts here',
      'Note your employer or business partner',
      'Note your GP, dentist and hospital teams',
      'Note your solicitor',
      'List the close friends who should hear first',
      'Note the neighbours who have keys',
      'Note your faith or community leader',
      'Name guardians for your children, and note schools and carers',
      'Name who would look after your pets, and the vet',
      'List your clubs, your landlord or your tenants',
    ],
  },
  {
    id: 'funeral',
    title: 'Funeral wishes',
    iconType: 'funeral',
    priority: 'high',
    items: [
      'Say whether you want a burial, a cremation or something else',
      'Note your funeral plan: the firm and the number',
      'Say who should lead the funeral',
      'Choose a place, and note what your faith needs',
      'Choose music and readings',
      'Say what to wear, and whether you want flowers or gifts to charity',
      'List who must be told, and who should not be',
      'Write a few lines for a notice, and choose a photograph',
      'Say what should happen to your ashes or on your grave',
      'Decide about organ, tissue or body donation, and tell your family',
      'Set a budget, and say where the money is',
      'Tell somebody where this note is kept',
    ],
  },
  {
    id: 'digital',
    title: 'Digital life',
    iconType: 'digital',
    priority: 'high',
    items: [
      'Name your main email account: it opens all the others',
      'Say where the way to unlock your phone and computer is kept',
      'Set up emergency access in your password manager',
      'Name a Legacy Contact with Apple',
      'Set up the Inactive Account Manager with Google',
      'Name a legacy contact with Facebook',
      'Say where your photographs and files are stored',
      'List your domain names and websites',
      'Say whether you own crypto, and who could help',
      'List your online shops, points and balances',
      'List work accounts that must be handed over',
      'Say what should be deleted unread',
    ],
  },
];
