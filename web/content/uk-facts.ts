/**
 * Every amount, deadline and phone number that the guidance names. They change, so each says when it was checked and
 * where; a test fails when one has not been checked for a year.
 */
export const nations = ['england', 'wales', 'scotland', 'northern-ireland'] as const;
export type Nation = (typeof nations)[number];

export const nationNames: Record<Nation, string> = {
  england: 'England',
  wales: 'Wales',
  scotland: 'Scotland',
  'northern-ireland': 'Northern Ireland',
};

export type UkFact = {
  value: string;
  /** Where it holds; `uk` for everywhere. */
  nation: Nation | 'england-and-wales' | 'uk';
  sourceTitle: string;
  /** The day our notes on it were last gone through, as `2026-11-21`. The source itself has the last word. */
  checkedOn: string;
};

const checkedOn = '2026-11-21';
const uk = (value: string, sourceTitle: string) => fact(value, 'uk', sourceTitle);
const ew = (value: string, sourceTitle: string) => fact(value, 'england-and-wales', sourceTitle);
const scotland = (value: string, sourceTitle: string) => fact(value, 'scotland', sourceTitle);
const ni = (value: string, sourceTitle: string) => fact(value, 'northern-ireland', sourceTitle);

export const ukFacts = {
  registerDays: ew('5 days', 'GOV.UK: Register a death'),
  registerDaysScotland: scotland('8 days', 'National Records of Scotland: Registering a death'),
  registerDaysNi: ni('5 days', 'nidirect: Registering a death'),
  certificatePrice: ew('about £12.50', 'GOV.UK: Order a copy of a birth, death or marriage certificate'),
  tellUsOnceDays: uk('28 days', 'GOV.UK: Tell Us Once'),
  bankAnswerDays: uk('about 10 working days', 'Death Notification Service'),
  organisations: uk('about 21', 'Cruse Bereavement Support: who to tell'),
  probateFreeUpTo: ew('£5,000', 'GOV.UK: Applying for probate'),
  smallEstateScotland: scotland('£36,000', 'Scottish Courts and Tribunals: small estates'),
  taxFreeBand: uk('£325,000', 'GOV.UK: Inheritance Tax'),
  taxHomeBand: uk('£175,000', 'GOV.UK: Inheritance Tax'),
  taxRate: uk('40%', 'GOV.UK: Inheritance Tax'),
  pensionsTaxedFrom: uk('6 April 2027', 'GOV.UK: Inheritance Tax on unused pension funds'),
  spouseFirstShare: ew('£322,000', 'GOV.UK: Intestacy, who inherits if someone dies without a will'),
  willAge: ew('18', 'GOV.UK: Making a will'),
  willAgeNi: ni('18', 'nidirect: Making a will'),
  willAgeScotland: scotland('12', 'mygov.scot: Making a will'),
  witnessAgeScotland: scotland('16', 'mygov.scot: Making a will'),
  lpaFee: ew('£92', 'GOV.UK: Register a lasting power of attorney'),
  lpaWeeks: ew('8 to 16 weeks', 'GOV.UK: Register a lasting power of attorney'),
  funeralPlansSince: uk('29 July 2022', 'Financial Conduct Authority: Funeral plans'),
  funeralPaymentMonths: uk('6 months', 'GOV.UK: Funeral Expenses Payment'),
  bereavementFirstHigher: uk('£3,500', 'GOV.UK: Bereavement Support Payment'),
  bereavementMonthlyHigher: uk('£350', 'GOV.UK: Bereavement Support Payment'),
  bereavementFirst: uk('£2,500', 'GOV.UK: Bereavement Support Payment'),
  bereavementMonthly: uk('£100', 'GOV.UK: Bereavement Support Payment'),
  bereavementMonths: uk('18 months', 'GOV.UK: Bereavement Support Payment'),
  bereavementFullWithin: uk('3 months', 'GOV.UK: Bereavement Support Payment'),
  bereavementLatest: uk('21 months', 'GOV.UK: Bereavement Support Payment'),
  digitalAssetsSince: ew('2 December 2025', 'Property (Digital Assets etc) Act 2025'),
  googleMonths: uk('3 to 18 months', 'Google Account Help: Inactive Account Manager'),
  googlePeople: uk('10', 'Google Account Help: Inactive Account Manager'),
  emergency: uk('999', 'NHS: When to call 999'),
  urgentCare: uk('111', 'NHS: 111'),
  samaritans: uk('116 123', 'Samaritans: Contact us'),
  cruse: uk('0808 808 1677', 'Cruse Bereavement Support: Helpline'),
} as const satisfies Record<string, UkFact>;

function fact(value: string, nation: UkFact['nation'], sourceTitle: string): UkFact {
  return { value, nation, sourceTitle, checkedOn };
}
