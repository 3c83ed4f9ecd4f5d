import { zodResolver } from '@hookform/resolvers/zod';
import { complaintBody } from '#shared/contract/complaints.ts';

/** Validation of the complaint. Loaded when a person reaches the form (`late-check.ts`). */
export const complaintCheck = zodResolver(complaintBody);
