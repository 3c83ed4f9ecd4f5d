import type { EnvelopeCategory } from '#shared/rules/letters/envelopes.ts';

export const categoryFilters: readonly { value: EnvelopeCategory; label: string }[] = [
  { value: 'all', label: 'All Categories' },
  { value: 'personal', label: 'Personal' },
  { value: 'legal', label: 'Legal' },
  { value: 'financial', label: 'Financial' },
  { value: 'instructions', label: 'Instructions' },
];
