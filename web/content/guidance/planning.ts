import { ukFacts as facts } from '#web/content/uk-facts.ts';
import { englandAndWales, type Guide } from './guide.ts';

const checkedOn = '2026-11-21';

const funeralWishes: Guide = {
  id: 'funeral-wishes',
  title: 'Funeral wishes',
  intro: 'A page of wishes spares your family a hundred small questions.',
  checkedOn,
  parts: [
    {
      title: 'What to write down',
      blocks: [
        {
          list: [
            'burial, cremation or something else, and where',
            'who should lead it, and what your faith, or having none, asks for',
            'music, readings, clothes, flowers or gifts to charity',
            'who should be told, and who should not be',
            'what you would rather not have',
          ],
        },
        'The [funeral checklist](#checklists) has the whole list.',
      ],
    },
    {
      title: 'Where to keep it',
      blocks: [
        'Not only in the will: it is often read after the funeral. Tell somebody where the page is.',
        'Wishes for a funeral are not binding in most of the United Kingdom. Most families follow them gladly.',
      ],
    },
    {
      title: 'Paying for it',
      blocks: [
        `Since ${facts.funeralPlansSince.value}, only firms with permission from the Financial Conduct Authority may sell funeral plans. Look the firm up in its register.`,
        'Ask what the plan leaves out. Keep the papers where your family will look.',
      ],
    },
  ],
};

const digitalAccounts: Guide = {
  id: 'digital-accounts',
  title: 'Digital accounts',
  intro: 'Photographs, mail and money sit behind passwords. A few settings now open the right doors later.',
  checkedOn,
  parts: [
    {
      title: 'Set up now',
      blocks: [
        {
          facts: [
            ['Apple', 'Name a Legacy Contact. They need the access key and a death certificate.'],
            [
              'Google',
              `Set up the Inactive Account Manager. It waits ${facts.googleMonths.value} and tells up to ${facts.googlePeople.value} people.`,
            ],
            ['Facebook', 'Name a legacy contact, or choose that the account is deleted.'],
            ['Instagram', 'It can be turned into a memorial page or removed. Nobody gets your private messages.'],
            [
              'Microsoft, WhatsApp, X, LinkedIn',
              'They close an account on proof of death. There is nobody to name beforehand.',
            ],
          ],
        },
      ],
    },
    {
      title: 'Passwords',
      blocks: [
        'Never put passwords or recovery phrases in a will: anybody can read it later. Do not type them into this vault either.',
        'Use the emergency access of a password manager, or a sealed note. Say here where it is.',
      ],
    },
    {
      title: 'What the law says',
      nations: englandAndWales,
      blocks: [
        `Since ${facts.digitalAssetsSince.value} the law says that crypto and similar things can be property. Somebody still needs the keys.`,
      ],
    },
    {
      title: 'Logging in as somebody else',
      blocks: [
        'Logging in with the password of a person who has died can break the rules of the service, or the law. Ask the service first.',
      ],
    },
  ],
};

const unmarriedCouples: Guide = {
  id: 'unmarried-couples',
  title: 'Unmarried couples',
  intro: 'Living together does not give you the rights that marriage does, however long it lasts.',
  checkedOn,
  parts: [
    {
      title: 'What to do',
      blocks: [
        {
          list: [
            'Make [wills](#wills) that name each other.',
            'Find out how you own your home. It decides who gets the other half.',
            'Name each other in every pension and workplace scheme.',
            'Make a [power of attorney](#power-of-attorney), so that you may speak for each other.',
            'Write down who should be told and who may visit.',
          ],
        },
      ],
    },
    {
      title: 'With children',
      blocks: [
        'Say in the will who should look after them. Check that both of you have parental responsibility.',
        'An unmarried parent can claim Bereavement Support Payment. The guide to [the first month](#first-month) has the amounts.',
      ],
    },
  ],
};

const trustedContact: Guide = {
  id: 'being-a-trusted-contact',
  title: 'Being a trusted contact',
  intro: 'Somebody named you as a person who would know whether they are well.',
  checkedOn,
  parts: [
    {
      title: 'What you do now',
      blocks: ['Accept the invitation, and keep your email address up to date. There is nothing else to do.'],
    },
    {
      title: 'What we may ask one day',
      blocks: [
        'If they fall silent for long, we write to you. Try to reach them first: call, visit, ask somebody who lives near.',
        {
          facts: [
            ['They are well', 'Choose Cancel Release. Nothing is sent, and they are told to sign in.'],
            ['They have died, or can’t act', 'Choose Confirm Message Release, and write down how you know.'],
            ['You are not sure', 'Wait, and ask others. No answer is not a yes.'],
          ],
        },
      ],
    },
    {
      title: 'What you see',
      blocks: [
        'Titles and recipients of messages they chose to show you. Others are only counted. You never see what they wrote.',
        'We never ask you for money, a password or a bank detail.',
      ],
    },
  ],
};

const hardWords: Guide = {
  id: 'when-words-are-hard',
  title: 'When words are hard',
  intro: 'You need no fine words. A small true thing is better than a long letter that is never written.',
  checkedOn,
  parts: [
    {
      title: 'Ways to begin',
      blocks: [
        {
          list: [
            '“I was thinking of the day when we …”',
            '“What I never told you is …”',
            '“Thank you for …”',
            '“When you make this recipe, remember …”',
            '“The song that makes me think of you is …”',
            '“On your birthday, I would like you to …”',
            '“I am sorry about …”',
          ],
        },
      ],
    },
    {
      title: 'To a child',
      blocks: [
        'Write as you speak. Say their name. Tell them something they did that made you laugh.',
        'Say plainly that it was not their fault, and that they may be happy.',
        'Write one letter for now and one for later, and say in the title when it is for.',
      ],
    },
    {
      title: 'If you are ill',
      blocks: [
        'Write on a good day, and stop when you are tired. Your draft is kept.',
        'Say it aloud, and let somebody type. Your own words count, not your own hand.',
      ],
    },
    {
      title: 'What to leave out',
      blocks: [
        'Passwords, and anything that would hurt when you are not there to explain. If you are unsure, let it lie for a week.',
      ],
    },
  ],
};

const supportLines: Guide = {
  id: 'support-lines',
  title: 'Support lines',
  intro: 'People who listen, and people who know the forms. All of these are charities or public services.',
  checkedOn,
  parts: [
    {
      title: 'To talk to somebody',
      blocks: [
        {
          facts: [
            ['Samaritans', `${facts.samaritans.value}, free, day and night, for anybody`],
            ['Cruse Bereavement Support', `${facts.cruse.value}, free, for anybody after a death`],
            ['Marie Curie', 'about the end of life and after; the number is on mariecurie.org.uk'],
            [
              'Child Bereavement UK',
              'when a child has died or somebody in a child’s life; the number is on childbereavementuk.org',
            ],
          ],
        },
        `If somebody is in danger now, call ${facts.emergency.value}.`,
      ],
    },
    {
      title: 'For your own situation',
      blocks: [
        {
          facts: [
            ['Winston’s Wish', 'children and young people'],
            ['Sands', 'when a baby has died'],
            ['The Compassionate Friends', 'parents, when a child of any age has died'],
            ['Widowed and Young', 'people widowed before they were 51'],
          ],
        },
      ],
    },
    {
      title: 'For forms and money',
      blocks: [
        {
          facts: [
            ['Citizens Advice', 'benefits, debts, housing and rights'],
            ['Age UK', 'older people and their families'],
            ['Bereavement Advice Centre', 'what to do, step by step'],
            ['National Bereavement Service', 'practical questions and referrals'],
          ],
        },
        'Look their numbers up on their own sites. Numbers change, and lists on the web are copied.',
      ],
    },
  ],
};

export const planningAhead: readonly Guide[] = [funeralWishes, digitalAccounts, unmarriedCouples, hardWords];
export const standingBy: readonly Guide[] = [trustedContact, supportLines];
