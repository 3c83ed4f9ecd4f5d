export type RelationshipKind = 'partner' | 'family' | 'friend' | 'lawyer' | 'doctor' | 'person';

/** Tried in this order: a "wife and solicitor" is a wife first. */
const kinds: readonly { kind: RelationshipKind; words: RegExp }[] = [
  { kind: 'person', words: /\bbusiness partner\b/ },
  { kind: 'partner', words: /\b(wife|husband|spouse|partner|fianc[eé]e?|boyfriend|girlfriend)\b/ },
  {
    kind: 'family',
    words:
      /\b(family|relative|(grand|step|god|half-?|great-?){0,4}-?(mother|father|parent|mum|mam|mom|dad|sister|brother|sibling|son|daughter|child|children|ma|pa)(-in-law)?|aunt|auntie|uncle|cousin|niece|nephew|gran|granny|nan|nana|grandad|in-law)s?\b/,
  },
  { kind: 'friend', words: /\b(friend|best friend|neighbour|neighbor|mate|flatmate|colleague)s?\b/ },
  { kind: 'lawyer', words: /\b(lawyer|solicitor|attorney|barrister|notary|legal|advocate|executor)\b/ },
  { kind: 'doctor', words: /\b(doctor|dr|gp|physician|surgeon|nurse|consultant|medical)\b/ },
];

/** Chooses the sign for a relationship from the owner's own words. */
export function relationshipKind(relationship: string | null): RelationshipKind {
  const text = (relationship ?? '').toLowerCase();
  return kinds.find(({ words }) => words.test(text))?.kind ?? 'person';
}
