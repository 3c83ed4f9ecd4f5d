import { zodResolver } from '@hookform/resolvers/zod';
import { emergencyBody } from '#shared/contract/release/emergency.ts';

/** Validation of the request for an early release. Loaded when a person reaches the form (`late-check.ts`). */
export const emergencyCheck = zodResolver(emergencyBody);
