CREATE TABLE "checkins" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"type" text NOT NULL,
	"ip_address" text,
	"user_agent" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "checkins_type_check" CHECK ("checkins"."type" in ('login', 'manual', 'email', 'sms', 'change'))
);
--> statement-breakpoint
CREATE TABLE "login_attempts" (
	"email_hash" text PRIMARY KEY NOT NULL,
	"failed" integer DEFAULT 0 NOT NULL,
	"blocked_until" timestamp (3) with time zone NOT NULL,
	"last_tried_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"sid" text PRIMARY KEY NOT NULL,
	"sess" jsonb NOT NULL,
	"expire" timestamp (3) with time zone NOT NULL,
	"public_id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"user_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"authenticated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sessions_public_id_unique" UNIQUE("public_id")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"email" text NOT NULL,
	"password" text,
	"first_name" text,
	"last_name" text,
	"profile_image_url" text,
	"phone" text,
	"plan" text DEFAULT 'free' NOT NULL,
	"intended_plan" text,
	"role" text DEFAULT 'user' NOT NULL,
	"email_verified" boolean DEFAULT false NOT NULL,
	"email_verification_token" text,
	"email_verification_expires" timestamp (3) with time zone,
	"password_reset_token" text,
	"password_reset_expires" timestamp (3) with time zone,
	"subscription_status" text DEFAULT 'active' NOT NULL,
	"subscription_start" timestamp (3) with time zone,
	"subscription_end" timestamp (3) with time zone,
	"payment_provider" text,
	"payment_customer_id" text,
	"payment_subscription_id" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_login_at" timestamp (3) with time zone,
	"last_checkin_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"checkin_interval_days" integer DEFAULT 30 NOT NULL,
	"release_method" text DEFAULT 'inactivity' NOT NULL,
	"inactivity_days" integer DEFAULT 90 NOT NULL,
	"is_trusted_contact_account" boolean DEFAULT false NOT NULL,
	"temp_password" boolean DEFAULT false NOT NULL,
	"release_quorum" integer DEFAULT 1 NOT NULL,
	"release_waiting_days" integer DEFAULT 0 NOT NULL,
	"release_answer_days" integer,
	"release_epoch" integer DEFAULT 0 NOT NULL,
	"release_frozen_at" timestamp (3) with time zone,
	"next_step_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "users_email_unique" UNIQUE("email"),
	CONSTRAINT "users_email_verification_token_unique" UNIQUE("email_verification_token"),
	CONSTRAINT "users_password_reset_token_unique" UNIQUE("password_reset_token"),
	CONSTRAINT "users_plan_check" CHECK ("users"."plan" in ('free', 'essential', 'premium', 'lifetime')),
	CONSTRAINT "users_role_check" CHECK ("users"."role" in ('user', 'admin')),
	CONSTRAINT "users_release_method_check" CHECK ("users"."release_method" in ('inactivity', 'trusted_contact')),
	CONSTRAINT "users_inactivity_days_check" CHECK ("users"."inactivity_days" between 90 and 365),
	CONSTRAINT "users_release_quorum_check" CHECK ("users"."release_quorum" between 1 and 3),
	CONSTRAINT "users_release_waiting_days_check" CHECK ("users"."release_waiting_days" between 0 and 30),
	CONSTRAINT "users_release_answer_days_check" CHECK ("users"."release_answer_days" between 0 and 30)
);
--> statement-breakpoint
CREATE TABLE "vault_keys" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"key_version" integer NOT NULL,
	"wrapped_key" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "user_identities" (
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"user_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "user_identities_issuer_subject_pk" PRIMARY KEY("issuer","subject"),
	CONSTRAINT "user_identities_user_id_issuer_unique" UNIQUE("user_id","issuer")
);
--> statement-breakpoint
CREATE TABLE "audit_chains" (
	"chain" text PRIMARY KEY NOT NULL,
	"length" bigint NOT NULL,
	"previous_hash" "bytea" NOT NULL,
	"head_hash" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_logs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid,
	"action" text NOT NULL,
	"resource" text NOT NULL,
	"resource_id" text,
	"details" jsonb,
	"ip_address" text,
	"user_agent" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"chain" text NOT NULL,
	"position" bigint NOT NULL,
	"previous_hash" "bytea" NOT NULL,
	"hash" "bytea" NOT NULL,
	CONSTRAINT "audit_logs_chain_position_unique" UNIQUE("chain","position")
);
--> statement-breakpoint
CREATE TABLE "voucher_codes" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"code" text NOT NULL,
	"discount_type" text NOT NULL,
	"discount_value" numeric(5, 2) NOT NULL,
	"max_uses" integer,
	"current_uses" integer DEFAULT 0 NOT NULL,
	"valid_from" timestamp (3) with time zone,
	"valid_until" timestamp (3) with time zone,
	"is_active" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "voucher_codes_code_unique" UNIQUE("code"),
	CONSTRAINT "voucher_codes_discount_type_check" CHECK ("voucher_codes"."discount_type" in ('free', 'percentage')),
	CONSTRAINT "voucher_codes_discount_value_check" CHECK ("voucher_codes"."discount_value" between 0 and 100),
	CONSTRAINT "voucher_codes_uses_check" CHECK ("voucher_codes"."max_uses" is null or "voucher_codes"."current_uses" <= "voucher_codes"."max_uses")
);
--> statement-breakpoint
CREATE TABLE "voucher_usage" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"voucher_code_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"used_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "voucher_usage_voucher_code_id_user_id_unique" UNIQUE("voucher_code_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "trusted_contacts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"phone" text,
	"relationship" text,
	"is_active" boolean DEFAULT false NOT NULL,
	"is_confirmed" boolean DEFAULT false NOT NULL,
	"confirmation_token" text,
	"confirmation_expires" timestamp (3) with time zone,
	"confirmation_sent_at" timestamp (3) with time zone,
	"confirmed_at" timestamp (3) with time zone,
	"declined_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "trusted_contacts_confirmation_token_unique" UNIQUE("confirmation_token"),
	CONSTRAINT "trusted_contacts_user_id_email_unique" UNIQUE("user_id","email")
);
--> statement-breakpoint
CREATE TABLE "trustee_relationships" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"trustee_user_id" uuid NOT NULL,
	"owner_user_id" uuid NOT NULL,
	"trusted_contact_id" uuid NOT NULL,
	"is_active" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "trustee_relationships_trusted_contact_id_unique" UNIQUE("trusted_contact_id")
);
--> statement-breakpoint
CREATE TABLE "message_deliveries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"message_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"cycle_id" uuid NOT NULL,
	"recipient_email" text NOT NULL,
	"delivery_token" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"reminders_sent" integer DEFAULT 0 NOT NULL,
	"delivered_at" timestamp (3) with time zone,
	"accessed_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "message_deliveries_delivery_token_unique" UNIQUE("delivery_token"),
	CONSTRAINT "message_deliveries_cycle_id_message_id_unique" UNIQUE("cycle_id","message_id"),
	CONSTRAINT "message_deliveries_status_check" CHECK ("message_deliveries"."status" in ('pending', 'accepted', 'bounced', 'cancelled', 'withdrawn'))
);
--> statement-breakpoint
CREATE TABLE "documents" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"name" text NOT NULL,
	"category" text NOT NULL,
	"description" text,
	"file_name" text NOT NULL,
	"file_path" text NOT NULL,
	"file_size" bigint NOT NULL,
	"mime_type" text NOT NULL,
	"encrypted_path" text,
	"visible_to_trusted_contact" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "documents_file_path_unique" UNIQUE("file_path"),
	CONSTRAINT "documents_category_check" CHECK ("documents"."category" in ('personal', 'legal', 'financial', 'medical', 'property', 'business', 'other'))
);
--> statement-breakpoint
CREATE TABLE "file_objects" (
	"path" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "user_checklists" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"checklist_id" text NOT NULL,
	"custom_items" text NOT NULL,
	"completed_items" text NOT NULL,
	"reset_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "user_checklists_user_id_checklist_id_unique" UNIQUE("user_id","checklist_id")
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"title" text NOT NULL,
	"content" text NOT NULL,
	"encrypted_content" text,
	"recipient_email" text NOT NULL,
	"category" text DEFAULT 'personal' NOT NULL,
	"status" text DEFAULT 'draft' NOT NULL,
	"visible_to_trusted_contact" boolean DEFAULT false NOT NULL,
	"has_attachment" boolean DEFAULT false NOT NULL,
	"attachment_path" text,
	"attachment_original_name" text,
	"attachment_size" bigint,
	"attachment_mime_type" text,
	"delivered_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "messages_category_check" CHECK ("messages"."category" in ('personal', 'legal', 'instructions', 'financial', 'family')),
	CONSTRAINT "messages_status_check" CHECK ("messages"."status" in ('draft', 'ready', 'delivered'))
);
--> statement-breakpoint
CREATE TABLE "notifications" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid,
	"channel" text NOT NULL,
	"kind" text NOT NULL,
	"subject_id" uuid,
	"dedupe_key" text NOT NULL,
	"payload" "bytea",
	"message_id" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"policy" text DEFAULT 'standard' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"refusals" integer DEFAULT 0 NOT NULL,
	"not_before" timestamp (3) with time zone NOT NULL,
	"next_attempt_at" timestamp (3) with time zone,
	"lease_until" timestamp (3) with time zone,
	"last_attempt_at" timestamp (3) with time zone,
	"accepted_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"last_reply_code" integer,
	"provider_id" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "notifications_dedupe_key_unique" UNIQUE("dedupe_key"),
	CONSTRAINT "notifications_channel_check" CHECK ("notifications"."channel" in ('email', 'sms')),
	CONSTRAINT "notifications_status_check" CHECK ("notifications"."status" in ('pending', 'sending', 'accepted', 'bounced', 'dead', 'cancelled')),
	CONSTRAINT "notifications_policy_check" CHECK ("notifications"."policy" in ('standard', 'patient', 'owner-reminder'))
);
--> statement-breakpoint
CREATE TABLE "service_keys" (
	"purpose" text PRIMARY KEY NOT NULL,
	"key_version" integer NOT NULL,
	"wrapped_key" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sms_notifications" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"notification_id" uuid,
	"phone" text NOT NULL,
	"message" text NOT NULL,
	"type" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"sent_at" timestamp (3) with time zone,
	"responded_at" timestamp (3) with time zone,
	"response" text,
	"expires_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "checkin_links" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "release_cycles" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"epoch" integer NOT NULL,
	"cause" text DEFAULT 'silence' NOT NULL,
	"state" text NOT NULL,
	"version" integer DEFAULT 0 NOT NULL,
	"opened_at" timestamp (3) with time zone NOT NULL,
	"closed_at" timestamp (3) with time zone,
	"first_reminder_sent_at" timestamp (3) with time zone,
	"last_reminder_sent_at" timestamp (3) with time zone,
	"owner_mail_tries" integer DEFAULT 0 NOT NULL,
	"first_reminder_at" timestamp (3) with time zone,
	"first_reminder_healthy_ms" bigint,
	"last_reminder_at" timestamp (3) with time zone,
	"last_reminder_healthy_ms" bigint,
	"asked_at" timestamp (3) with time zone,
	"asked_healthy_ms" bigint,
	"owner_notice_at" timestamp (3) with time zone,
	"owner_notice_healthy_ms" bigint,
	"paused_at" timestamp (3) with time zone,
	"paused_healthy_ms" bigint,
	"round" integer DEFAULT 0 NOT NULL,
	"owner_unreachable" boolean DEFAULT false NOT NULL,
	"counted_on_day" text,
	"first_dispatch_at" timestamp (3) with time zone,
	"released_at" timestamp (3) with time zone,
	"halted_at" timestamp (3) with time zone,
	CONSTRAINT "release_cycles_state_check" CHECK ("release_cycles"."state" in ('watching', 'reminded', 'warned', 'asking', 'paused', 'holding', 'releasing', 'released', 'halted')),
	CONSTRAINT "release_cycles_cause_check" CHECK ("release_cycles"."cause" in ('silence', 'emergency', 'trustee'))
);
--> statement-breakpoint
CREATE TABLE "release_invitations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"cycle_id" uuid NOT NULL,
	"contact_id" uuid NOT NULL,
	"round" integer NOT NULL,
	"token_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"ask_outcome" text,
	"ask_ended_at" timestamp (3) with time zone,
	"withdrawn_at" timestamp (3) with time zone,
	"decision" text,
	"decided_at" timestamp (3) with time zone,
	"reason" text,
	CONSTRAINT "release_invitations_token_hash_unique" UNIQUE("token_hash"),
	CONSTRAINT "release_invitations_cycle_contact_round_unique" UNIQUE("cycle_id","contact_id","round"),
	CONSTRAINT "release_invitations_ask_outcome_check" CHECK ("release_invitations"."ask_outcome" in ('reached', 'failed')),
	CONSTRAINT "release_invitations_decision_check" CHECK ("release_invitations"."decision" in ('confirmed', 'cancelled'))
);
--> statement-breakpoint
CREATE TABLE "service_health" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"healthy_ms" bigint DEFAULT 0 NOT NULL,
	"last_beat_at" timestamp (3) with time zone,
	"highest_seen_at" timestamp (3) with time zone,
	"mail_troubled_since" timestamp (3) with time zone,
	"frozen_at" timestamp (3) with time zone,
	"frozen_reason" text,
	"breaker_day" text,
	"breaker_count" integer DEFAULT 0 NOT NULL,
	"clock_offset_ms" bigint DEFAULT 0 NOT NULL,
	"clock_lived_ms" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "rate_limits" (
	"key" text PRIMARY KEY NOT NULL,
	"count" integer NOT NULL,
	"window_ends_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "checkins" ADD CONSTRAINT "checkins_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "vault_keys" ADD CONSTRAINT "vault_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_identities" ADD CONSTRAINT "user_identities_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_logs" ADD CONSTRAINT "audit_logs_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "voucher_usage" ADD CONSTRAINT "voucher_usage_voucher_code_id_voucher_codes_id_fk" FOREIGN KEY ("voucher_code_id") REFERENCES "public"."voucher_codes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "voucher_usage" ADD CONSTRAINT "voucher_usage_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trusted_contacts" ADD CONSTRAINT "trusted_contacts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trustee_relationships" ADD CONSTRAINT "trustee_relationships_trustee_user_id_users_id_fk" FOREIGN KEY ("trustee_user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trustee_relationships" ADD CONSTRAINT "trustee_relationships_owner_user_id_users_id_fk" FOREIGN KEY ("owner_user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trustee_relationships" ADD CONSTRAINT "trustee_relationships_trusted_contact_id_trusted_contacts_id_fk" FOREIGN KEY ("trusted_contact_id") REFERENCES "public"."trusted_contacts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_deliveries" ADD CONSTRAINT "message_deliveries_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_deliveries" ADD CONSTRAINT "message_deliveries_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_deliveries" ADD CONSTRAINT "message_deliveries_cycle_id_release_cycles_id_fk" FOREIGN KEY ("cycle_id") REFERENCES "public"."release_cycles"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "documents" ADD CONSTRAINT "documents_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "documents" ADD CONSTRAINT "documents_file_path_file_objects_path_fk" FOREIGN KEY ("file_path") REFERENCES "public"."file_objects"("path") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_checklists" ADD CONSTRAINT "user_checklists_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_attachment_path_file_objects_path_fk" FOREIGN KEY ("attachment_path") REFERENCES "public"."file_objects"("path") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sms_notifications" ADD CONSTRAINT "sms_notifications_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sms_notifications" ADD CONSTRAINT "sms_notifications_notification_id_notifications_id_fk" FOREIGN KEY ("notification_id") REFERENCES "public"."notifications"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "checkin_links" ADD CONSTRAINT "checkin_links_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "release_cycles" ADD CONSTRAINT "release_cycles_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "release_invitations" ADD CONSTRAINT "release_invitations_cycle_id_release_cycles_id_fk" FOREIGN KEY ("cycle_id") REFERENCES "public"."release_cycles"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "release_invitations" ADD CONSTRAINT "release_invitations_contact_id_trusted_contacts_id_fk" FOREIGN KEY ("contact_id") REFERENCES "public"."trusted_contacts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "checkins_user_id_created_at_index" ON "checkins" USING btree ("user_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "login_attempts_last_tried_at_index" ON "login_attempts" USING btree ("last_tried_at");--> statement-breakpoint
CREATE INDEX "sessions_expire_index" ON "sessions" USING btree ("expire");--> statement-breakpoint
CREATE INDEX "sessions_user_id_index" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "users_next_step_at_index" ON "users" USING btree ("next_step_at");--> statement-breakpoint
CREATE INDEX "users_created_at_index" ON "users" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "audit_logs_user_id_created_at_index" ON "audit_logs" USING btree ("user_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "trusted_contacts_user_id_created_at_index" ON "trusted_contacts" USING btree ("user_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "trusted_contacts_email_index" ON "trusted_contacts" USING btree ("email");--> statement-breakpoint
CREATE INDEX "trustee_relationships_trustee_user_id_index" ON "trustee_relationships" USING btree ("trustee_user_id");--> statement-breakpoint
CREATE INDEX "trustee_relationships_owner_user_id_index" ON "trustee_relationships" USING btree ("owner_user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "message_deliveries_one_effective_unique" ON "message_deliveries" USING btree ("message_id") WHERE "message_deliveries"."status" in ('pending', 'accepted');--> statement-breakpoint
CREATE INDEX "message_deliveries_message_id_index" ON "message_deliveries" USING btree ("message_id");--> statement-breakpoint
CREATE INDEX "message_deliveries_unopened_index" ON "message_deliveries" USING btree ("delivered_at") WHERE "message_deliveries"."status" = 'accepted' and "message_deliveries"."accessed_at" is null;--> statement-breakpoint
CREATE INDEX "message_deliveries_user_id_index" ON "message_deliveries" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "documents_user_id_created_at_index" ON "documents" USING btree ("user_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "file_objects_created_at_index" ON "file_objects" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "messages_user_id_created_at_index" ON "messages" USING btree ("user_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "messages_ready_index" ON "messages" USING btree ("user_id") WHERE "messages"."status" = 'ready';--> statement-breakpoint
CREATE UNIQUE INDEX "messages_attachment_path_unique" ON "messages" USING btree ("attachment_path") WHERE "messages"."attachment_path" is not null;--> statement-breakpoint
CREATE INDEX "notifications_due_index" ON "notifications" USING btree ("next_attempt_at") WHERE "notifications"."status" in ('pending', 'sending');--> statement-breakpoint
CREATE INDEX "notifications_subject_id_index" ON "notifications" USING btree ("subject_id");--> statement-breakpoint
CREATE INDEX "notifications_user_id_created_at_index" ON "notifications" USING btree ("user_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "notifications_created_at_index" ON "notifications" USING btree ("created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "notifications_accepted_at_index" ON "notifications" USING btree ("accepted_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "notifications_ended_at_index" ON "notifications" USING btree ("ended_at") WHERE "notifications"."payload" is not null;--> statement-breakpoint
CREATE INDEX "sms_notifications_user_id_created_at_index" ON "sms_notifications" USING btree ("user_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "checkin_links_user_id_index" ON "checkin_links" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "release_cycles_one_open_unique" ON "release_cycles" USING btree ("user_id") WHERE "release_cycles"."closed_at" is null;--> statement-breakpoint
CREATE INDEX "release_cycles_user_id_opened_at_index" ON "release_cycles" USING btree ("user_id","opened_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "rate_limits_window_ends_at_index" ON "rate_limits" USING btree ("window_ends_at");