import { z } from 'zod';
import { email, messageAnswer, requiredName, visibleText } from '#shared/contract/fields.ts';
import { defineRoute } from '#shared/contract/route.ts';
import { reasonLengthMax } from '#shared/rules/release-answers.ts';

const requesterNameLengthMin = 2;
const emergencyReasonLengthMin = 10;
const fullName = 'Please enter your full name';
const detailedReason = `Please provide a detailed reason (at least ${emergencyReasonLengthMin} characters)`;

export const emergencyBody = z.object({
  userEmail: email,
  contactEmail: email,
  contactName: requiredName(fullName).pipe(z.string().min(requesterNameLengthMin, fullName)),
  reason: visibleText(reasonLengthMax, detailedReason).min(emergencyReasonLengthMin, detailedReason),
});

/** One answer for matching and for non-matching addresses. */
export const activateEmergency = defineRoute({
  method: 'POST',
  path: '/api/emergency-activate',
  access: 'public',
  summary: 'Ask, as a trusted contact, for an early release; answers alike whether or not it matched anybody',
  body: emergencyBody,
  status: 202,
  answer: messageAnswer,
  ratePerMinute: 10,
});
