CREATE EXTENSION IF NOT EXISTS "pg_trgm";
--> statement-breakpoint
CREATE TABLE "rate_limits" (
	"key" text PRIMARY KEY NOT NULL,
	"count" integer NOT NULL,
	"window_ends_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "task_runs" (
	"name" text PRIMARY KEY NOT NULL,
	"begun_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"lease_until" timestamp (3) with time zone,
	"failed_at" timestamp (3) with time zone,
	"failure" text
);
--> statement-breakpoint
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
CREATE TABLE "not_me_links" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
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
	"second_factor_at" timestamp (3) with time zone,
	"own_proof_at" timestamp (3) with time zone,
	"is_kept" boolean DEFAULT true NOT NULL,
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
	"phone_number" text,
	"phone_proven_at" timestamp (3) with time zone,
	"phone_code" text,
	"phone_code_expires" timestamp (3) with time zone,
	"phone_code_tries" integer DEFAULT 0 NOT NULL,
	"former_phone" text,
	"former_phone_until" timestamp (3) with time zone,
	"plan" text DEFAULT 'free' NOT NULL,
	"plan_granted_at" timestamp (3) with time zone,
	"intended_plan" text,
	"plan_offered_at" timestamp (3) with time zone,
	"role" text DEFAULT 'user' NOT NULL,
	"email_verified" boolean DEFAULT false NOT NULL,
	"first_verified_at" timestamp (3) with time zone,
	"vouched_at" timestamp (3) with time zone,
	"email_verification_token" text,
	"email_verification_expires" timestamp (3) with time zone,
	"mailbox_proven_at" timestamp (3) with time zone,
	"password_reset_token" text,
	"password_reset_expires" timestamp (3) with time zone,
	"devices_forgotten_at" timestamp (3) with time zone,
	"news_stopped_at" timestamp (3) with time zone,
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
	"last_checkin_type" text,
	"checkin_interval_days" integer DEFAULT 30 NOT NULL,
	"release_method" text DEFAULT 'inactivity' NOT NULL,
	"inactivity_days" integer DEFAULT 90 NOT NULL,
	"is_trusted_contact_account" boolean DEFAULT false NOT NULL,
	"temp_password" boolean DEFAULT false NOT NULL,
	"release_quorum" integer DEFAULT 1 NOT NULL,
	"release_waiting_days" integer DEFAULT 3 NOT NULL,
	"release_answer_days" integer,
	"away_until" timestamp (3) with time zone,
	"release_frozen_at" timestamp (3) with time zone,
	"release_resumed_at" timestamp (3) with time zone,
	"release_resumed_healthy_ms" bigint,
	"release_begun_anew_at" timestamp (3) with time zone,
	"release_restart_notice" integer,
	"deletion_requested_at" timestamp (3) with time zone,
	"deletion_requested_healthy_ms" bigint,
	"is_disowned" boolean DEFAULT false NOT NULL,
	"next_step_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"search_text" text GENERATED ALWAYS AS (lower(email || ' ' || coalesce(first_name, '') || ' ' || coalesce(last_name, ''))) STORED,
	"last_checkin_hour" timestamp GENERATED ALWAYS AS (date_trunc('hour', last_checkin_at at time zone 'UTC')) STORED,
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
CREATE TABLE "audit_chains" (
	"chain" text PRIMARY KEY NOT NULL,
	"length" bigint NOT NULL,
	"head_hash" "bytea" NOT NULL,
	"pruned_length" bigint DEFAULT 0 NOT NULL,
	"pruned_hash" "bytea",
	"seal" "bytea" NOT NULL
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
	"origin_salt" "bytea",
	"origin_hash" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"chain" text NOT NULL,
	"position" bigint NOT NULL,
	"previous_hash" "bytea" NOT NULL,
	"hash" "bytea" NOT NULL,
	"anchored_on" date,
	CONSTRAINT "audit_logs_chain_position_unique" UNIQUE("chain","position")
);
--> statement-breakpoint
CREATE TABLE "checkouts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"purpose" text NOT NULL,
	"user_id" uuid,
	"email" text NOT NULL,
	"provider" text NOT NULL,
	"subscription_id" uuid,
	"plan" text NOT NULL,
	"term" text NOT NULL,
	"list_price_pence" integer NOT NULL,
	"amount_pence" integer NOT NULL,
	"voucher_code_id" uuid,
	"token_hash" text,
	"provider_reference" text,
	"provider_price_id" text,
	"status" text DEFAULT 'open' NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"paid_at" timestamp (3) with time zone,
	CONSTRAINT "checkouts_token_hash_unique" UNIQUE("token_hash"),
	CONSTRAINT "checkouts_purpose_check" CHECK ("checkouts"."purpose" in ('subscribe', 'change', 'card')),
	CONSTRAINT "checkouts_provider_check" CHECK ("checkouts"."provider" in ('stripe', 'paypal', 'sandbox', 'voucher')),
	CONSTRAINT "checkouts_plan_check" CHECK ("checkouts"."plan" in ('essential', 'premium', 'lifetime')),
	CONSTRAINT "checkouts_term_check" CHECK ("checkouts"."term" in ('monthly', 'annual', 'once')),
	CONSTRAINT "checkouts_status_check" CHECK ("checkouts"."status" in ('open', 'agreed', 'refused', 'paid', 'expired')),
	CONSTRAINT "checkouts_amount_check" CHECK ("checkouts"."amount_pence" between 0 and "checkouts"."list_price_pence")
);
--> statement-breakpoint
CREATE TABLE "payment_events" (
	"id" uuid PRIMARY KEY NOT NULL,
	"provider" text NOT NULL,
	"provider_event_id" text NOT NULL,
	"type" text NOT NULL,
	"body" "bytea",
	"facts" jsonb,
	"subjects" text[] DEFAULT '{}'::text[] NOT NULL,
	"subscription_id" uuid,
	"status" text DEFAULT 'stored' NOT NULL,
	"reason" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone,
	"occurred_at" timestamp (3) with time zone NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "payment_events_provider_event_id_unique" UNIQUE("provider","provider_event_id"),
	CONSTRAINT "payment_events_provider_check" CHECK ("payment_events"."provider" in ('stripe', 'paypal', 'sandbox')),
	CONSTRAINT "payment_events_status_check" CHECK ("payment_events"."status" in ('stored', 'applied', 'waiting', 'ignored', 'refused'))
);
--> statement-breakpoint
CREATE TABLE "payments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"number" serial NOT NULL,
	"user_id" uuid,
	"payer_id" uuid NOT NULL,
	"subscription_id" uuid,
	"provider" text NOT NULL,
	"provider_payment_id" text NOT NULL,
	"plan" text NOT NULL,
	"term" text NOT NULL,
	"amount_pence" integer NOT NULL,
	"refunded_pence" integer DEFAULT 0 NOT NULL,
	"currency" text NOT NULL,
	"status" text NOT NULL,
	"card_brand" text,
	"card_last4" text,
	"paid_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "payments_number_unique" UNIQUE("number"),
	CONSTRAINT "payments_provider_payment_id_unique" UNIQUE("provider","provider_payment_id"),
	CONSTRAINT "payments_provider_check" CHECK ("payments"."provider" in ('stripe', 'paypal', 'sandbox')),
	CONSTRAINT "payments_status_check" CHECK ("payments"."status" in ('paid', 'partly_refunded', 'refunded', 'disputed', 'lost')),
	CONSTRAINT "payments_refunded_check" CHECK ("payments"."refunded_pence" between 0 and "payments"."amount_pence")
);
--> statement-breakpoint
CREATE TABLE "subscriptions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid,
	"email" text NOT NULL,
	"provider" text NOT NULL,
	"provider_customer_id" text,
	"provider_subscription_id" text,
	"plan" text NOT NULL,
	"term" text NOT NULL,
	"price_pence" integer NOT NULL,
	"status" text NOT NULL,
	"current_period_end" timestamp (3) with time zone,
	"cancel_at_period_end" boolean DEFAULT false NOT NULL,
	"past_due_since" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"card_brand" text,
	"card_last4" text,
	"release_stop" text,
	"next_step_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "subscriptions_provider_subscription_id_unique" UNIQUE("provider","provider_subscription_id"),
	CONSTRAINT "subscriptions_provider_check" CHECK ("subscriptions"."provider" in ('stripe', 'paypal', 'sandbox', 'voucher')),
	CONSTRAINT "subscriptions_plan_check" CHECK ("subscriptions"."plan" in ('essential', 'premium', 'lifetime')),
	CONSTRAINT "subscriptions_term_check" CHECK ("subscriptions"."term" in ('monthly', 'annual', 'once')),
	CONSTRAINT "subscriptions_status_check" CHECK ("subscriptions"."status" in ('active', 'past_due', 'cancelled', 'lapsed')),
	CONSTRAINT "subscriptions_release_stop_check" CHECK ("subscriptions"."release_stop" in ('asked', 'stopped', 'withdrawn', 'undoing')),
	CONSTRAINT "subscriptions_price_check" CHECK ("subscriptions"."price_pence" >= 0)
);
--> statement-breakpoint
CREATE TABLE "bounce_mailbox" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"mailbox_key" text NOT NULL,
	"uid_validity" text,
	"last_uid" bigint,
	"unread" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"read_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "bounce_mailbox_id_check" CHECK ("bounce_mailbox"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE "bulk_email_recipients" (
	"bulk_email_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"state" text DEFAULT 'waiting' NOT NULL,
	"taken_at" timestamp (3) with time zone,
	"link_hash" text,
	CONSTRAINT "bulk_email_recipients_bulk_email_id_user_id_pk" PRIMARY KEY("bulk_email_id","user_id"),
	CONSTRAINT "bulk_email_recipients_link_hash_unique" UNIQUE("link_hash"),
	CONSTRAINT "bulk_email_recipients_state_check" CHECK ("bulk_email_recipients"."state" in ('waiting', 'queued', 'sent', 'failed', 'left_out', 'cancelled'))
);
--> statement-breakpoint
CREATE TABLE "bulk_emails" (
	"id" uuid PRIMARY KEY NOT NULL,
	"created_by" uuid,
	"payload" "bytea" NOT NULL,
	"state" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "bulk_emails_state_check" CHECK ("bulk_emails"."state" in ('sending', 'done', 'cancelled'))
);
--> statement-breakpoint
CREATE TABLE "complaints" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid,
	"payload" "bytea" NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	"acknowledged_at" timestamp (3) with time zone,
	"receipt_failed_at" timestamp (3) with time zone,
	"closed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "trusted_contacts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"phone" text,
	"relationship" text,
	"word" text,
	"is_active" boolean DEFAULT false NOT NULL,
	"is_confirmed" boolean DEFAULT false NOT NULL,
	"sees_first_weeks" boolean DEFAULT false NOT NULL,
	"confirmation_token" text,
	"confirmation_expires" timestamp (3) with time zone,
	"confirmation_sent_at" timestamp (3) with time zone,
	"confirmed_at" timestamp (3) with time zone,
	"confirmed_healthy_ms" bigint,
	"declined_at" timestamp (3) with time zone,
	"version" uuid DEFAULT gen_random_uuid() NOT NULL,
	"created_as" uuid,
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
CREATE TABLE "declining_readers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"person_key" text NOT NULL,
	"times" integer NOT NULL,
	"declined_at" timestamp (3) with time zone,
	"taken_back_at" timestamp (3) with time zone,
	"taken_back_by" uuid
);
--> statement-breakpoint
CREATE TABLE "held_back_letters" (
	"request_id" uuid NOT NULL,
	"message_id" uuid NOT NULL,
	"recipient_id" uuid NOT NULL,
	"held_back_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "held_back_letters_request_id_message_id_recipient_id_pk" PRIMARY KEY("request_id","message_id","recipient_id")
);
--> statement-breakpoint
CREATE TABLE "message_deliveries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"message_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"request_id" uuid NOT NULL,
	"replaces_delivery_id" uuid,
	"recipient_id" uuid NOT NULL,
	"recipient_email" text NOT NULL,
	"recipient_name" text NOT NULL,
	"person_key" text NOT NULL,
	"say_key" text NOT NULL,
	"mail_id" uuid NOT NULL,
	"release_number" integer NOT NULL,
	"earlier_tries" integer DEFAULT 0 NOT NULL,
	"address_from" text DEFAULT 'owner' NOT NULL,
	"delivery_token" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"due_at" timestamp (3) with time zone,
	"reminders_sent" integer DEFAULT 0 NOT NULL,
	"delivered_at" timestamp (3) with time zone,
	"accessed_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"link_began_healthy_ms" bigint,
	"answered_at" timestamp (3) with time zone,
	"kept_until" timestamp (3) with time zone,
	"kept_from_healthy_ms" bigint,
	"refused_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "message_deliveries_delivery_token_unique" UNIQUE("delivery_token"),
	CONSTRAINT "message_deliveries_status_check" CHECK ("message_deliveries"."status" in ('waiting', 'pending', 'accepted', 'bounced', 'cancelled', 'withdrawn', 'unopened')),
	CONSTRAINT "message_deliveries_kept_check" CHECK (("message_deliveries"."kept_until" is null) = ("message_deliveries"."kept_from_healthy_ms" is null)),
	CONSTRAINT "message_deliveries_due_at_check" CHECK ("message_deliveries"."status" <> 'waiting' or "message_deliveries"."due_at" is not null),
	CONSTRAINT "message_deliveries_address_from_check" CHECK ("message_deliveries"."address_from" in ('owner', 'contact'))
);
--> statement-breakpoint
CREATE TABLE "new_address_links" (
	"request_id" uuid NOT NULL,
	"contact_id" uuid NOT NULL,
	"token_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "new_address_links_request_id_contact_id_pk" PRIMARY KEY("request_id","contact_id"),
	CONSTRAINT "new_address_links_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "reached_mailboxes" (
	"user_id" uuid NOT NULL,
	"mailbox" text NOT NULL,
	"is_reviewed" boolean NOT NULL,
	"reached_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "reached_mailboxes_user_id_mailbox_pk" PRIMARY KEY("user_id","mailbox")
);
--> statement-breakpoint
CREATE TABLE "release_halts" (
	"request_id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"halted_at" timestamp (3) with time zone NOT NULL
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
	"version" uuid DEFAULT gen_random_uuid() NOT NULL,
	"created_as" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "documents_file_path_unique" UNIQUE("file_path"),
	CONSTRAINT "documents_category_check" CHECK ("documents"."category" in ('personal', 'legal', 'financial', 'medical', 'property', 'business', 'other'))
);
--> statement-breakpoint
CREATE TABLE "message_drafts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"message_id" uuid,
	"content" text NOT NULL,
	"version" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "message_drafts_user_id_message_id_unique" UNIQUE NULLS NOT DISTINCT("user_id","message_id")
);
--> statement-breakpoint
CREATE TABLE "file_objects" (
	"path" text PRIMARY KEY NOT NULL,
	"picture_width" integer,
	"picture_height" integer,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "first_weeks" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"notes" text NOT NULL,
	"version" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
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
CREATE TABLE "identity_links" (
	"not_me_hash" text PRIMARY KEY NOT NULL,
	"link_hash" text,
	"user_id" uuid NOT NULL,
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"email" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"link_expires_at" timestamp (3) with time zone NOT NULL,
	"refused_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "identity_links_link_hash_unique" UNIQUE("link_hash")
);
--> statement-breakpoint
CREATE TABLE "user_identities" (
	"id" uuid DEFAULT gen_random_uuid() NOT NULL,
	"issuer" text NOT NULL,
	"subject" text NOT NULL,
	"user_id" uuid NOT NULL,
	"email" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "user_identities_issuer_subject_pk" PRIMARY KEY("issuer","subject"),
	CONSTRAINT "user_identities_id_unique" UNIQUE("id"),
	CONSTRAINT "user_identities_user_id_issuer_unique" UNIQUE("user_id","issuer")
);
--> statement-breakpoint
CREATE TABLE "integrity_events" (
	"table_name" text NOT NULL,
	"column_name" text NOT NULL,
	"row_id" text NOT NULL,
	"first_seen_at" timestamp (3) with time zone NOT NULL,
	"last_seen_at" timestamp (3) with time zone NOT NULL,
	"times" integer DEFAULT 1 NOT NULL,
	CONSTRAINT "integrity_events_table_name_column_name_row_id_pk" PRIMARY KEY("table_name","column_name","row_id")
);
--> statement-breakpoint
CREATE TABLE "integrity_rounds" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"finished_at" timestamp (3) with time zone,
	"after_user_id" uuid,
	"lease_until" timestamp (3) with time zone,
	"values" bigint DEFAULT 0 NOT NULL,
	"files" bigint DEFAULT 0 NOT NULL,
	"broken" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "message_enclosures" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"message_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"original_of" uuid,
	"staging" uuid,
	"position" integer NOT NULL,
	"after_paragraph" integer,
	"caption" text NOT NULL,
	"transcript" text NOT NULL,
	"file_name" text NOT NULL,
	"file_path" text NOT NULL,
	"file_size" bigint NOT NULL,
	"mime_type" text NOT NULL,
	"created_as" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "message_enclosures_kind_check" CHECK ("message_enclosures"."kind" in ('picture', 'voice'))
);
--> statement-breakpoint
CREATE TABLE "message_recipients" (
	"id" uuid PRIMARY KEY NOT NULL,
	"message_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"person" text NOT NULL,
	"address_since" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"title" text NOT NULL,
	"content" text NOT NULL,
	"encrypted_content" text,
	"category" text DEFAULT 'personal' NOT NULL,
	"status" text DEFAULT 'draft' NOT NULL,
	"visible_to_trusted_contact" boolean DEFAULT false NOT NULL,
	"show_recipients" boolean DEFAULT false NOT NULL,
	"deliver_on" jsonb,
	"announce_wait" boolean DEFAULT false NOT NULL,
	"position" integer DEFAULT 1 NOT NULL,
	"has_attachment" boolean DEFAULT false NOT NULL,
	"attachment_path" text,
	"attachment_original_name" text,
	"attachment_size" bigint,
	"attachment_mime_type" text,
	"attachment_transcript" text,
	"delivered_at" timestamp (3) with time zone,
	"version" uuid DEFAULT gen_random_uuid() NOT NULL,
	"created_as" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "messages_category_check" CHECK ("messages"."category" in ('personal', 'legal', 'instructions', 'financial', 'family')),
	CONSTRAINT "messages_deliver_on_check" CHECK (jsonb_typeof("messages"."deliver_on") in ('string', 'object')),
	CONSTRAINT "messages_status_check" CHECK ("messages"."status" in ('draft', 'ready', 'delivered'))
);
--> statement-breakpoint
CREATE TABLE "ready_changes" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"since" timestamp (3) with time zone,
	"told_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "address_proposals" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"request_id" uuid NOT NULL,
	"delivery_id" uuid NOT NULL,
	"contact_id" uuid NOT NULL,
	"address" text NOT NULL,
	"reason" text NOT NULL,
	"status" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"waits_from_healthy_ms" bigint,
	"look_at" timestamp (3) with time zone,
	"asks_sent" integer DEFAULT 0 NOT NULL,
	"answered_by" uuid,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "address_proposals_status_check" CHECK ("address_proposals"."status" in ('proposed', 'waiting', 'sent', 'refused', 'ended'))
);
--> statement-breakpoint
CREATE TABLE "given_addresses" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"request_id" uuid NOT NULL,
	"contact_id" uuid NOT NULL,
	"address" text NOT NULL,
	"mailbox_key" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mail_domains" (
	"domain_key" text PRIMARY KEY NOT NULL,
	"mass_refused_since" timestamp (3) with time zone NOT NULL,
	"mass_refused_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notifications" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid,
	"channel" text NOT NULL,
	"kind" text NOT NULL,
	"subject_id" uuid,
	"contact_id" uuid,
	"notice" integer,
	"dedupe_key" text NOT NULL,
	"payload" "bytea",
	"message_id" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"policy" text DEFAULT 'standard' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"attempts_in_vain" integer DEFAULT 0 NOT NULL,
	"refusals" integer DEFAULT 0 NOT NULL,
	"refused_at" timestamp (3) with time zone,
	"troubled_at" timestamp (3) with time zone,
	"mailbox_key" text,
	"domain_key" text,
	"not_before" timestamp (3) with time zone NOT NULL,
	"next_attempt_at" timestamp (3) with time zone,
	"lease_until" timestamp (3) with time zone,
	"is_on_hold" boolean DEFAULT false NOT NULL,
	"first_attempt_at" timestamp (3) with time zone,
	"last_attempt_at" timestamp (3) with time zone,
	"is_leaving" boolean DEFAULT false NOT NULL,
	"accepted_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"bounced_at" timestamp (3) with time zone,
	"replied_at" timestamp (3) with time zone,
	"last_reply_code" integer,
	"provider_id" text,
	"trace" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "notifications_dedupe_key_unique" UNIQUE("dedupe_key"),
	CONSTRAINT "notifications_channel_check" CHECK ("notifications"."channel" in ('email', 'sms', 'push', 'webhook')),
	CONSTRAINT "notifications_status_check" CHECK ("notifications"."status" in ('pending', 'sending', 'accepted', 'bounced', 'dead', 'cancelled')),
	CONSTRAINT "notifications_policy_check" CHECK ("notifications"."policy" in ('standard', 'patient', 'owner-reminder', 'link-again', 'brief'))
);
--> statement-breakpoint
CREATE TABLE "push_devices" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"endpoint_hash" text NOT NULL,
	"subscription" "bytea" NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "push_devices_endpoint_hash_unique" UNIQUE("endpoint_hash")
);
--> statement-breakpoint
CREATE TABLE "received_texts" (
	"id_hash" text PRIMARY KEY NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL
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
CREATE TABLE "stopped_phones" (
	"phone_key" text PRIMARY KEY NOT NULL,
	"stopped_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "retention_notices" (
	"user_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"sent_at" timestamp (3) with time zone NOT NULL,
	"notification_id" uuid NOT NULL,
	"outcome" text,
	"ended_at" timestamp (3) with time zone,
	"ended_healthy_ms" bigint,
	CONSTRAINT "retention_notices_user_id_kind_pk" PRIMARY KEY("user_id","kind"),
	CONSTRAINT "retention_notices_kind_check" CHECK ("retention_notices"."kind" in ('idle', 'unverified', 'undelivered', 'delivered')),
	CONSTRAINT "retention_notices_outcome_check" CHECK ("retention_notices"."outcome" in ('accepted', 'refused'))
);
--> statement-breakpoint
CREATE TABLE "recently_deleted" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"row" jsonb NOT NULL,
	"recipients" jsonb NOT NULL,
	"enclosures" jsonb NOT NULL,
	"size_bytes" bigint NOT NULL,
	"deleted_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "recently_deleted_kind_check" CHECK ("recently_deleted"."kind" in ('message', 'document', 'contact'))
);
--> statement-breakpoint
CREATE TABLE "recently_deleted_files" (
	"file_path" text PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"deleted_id" uuid NOT NULL,
	"file_size" bigint NOT NULL
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
CREATE TABLE "release_answers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"request_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"contact_id" uuid NOT NULL,
	"says" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"healthy_ms" bigint NOT NULL,
	"notice" integer NOT NULL,
	"is_void" boolean NOT NULL,
	"reason" text,
	"hold" text,
	CONSTRAINT "release_answers_says_check" CHECK ("release_answers"."says" in ('yes', 'no', 'alive')),
	CONSTRAINT "release_answers_hold_check" CHECK ("release_answers"."hold" in ('held', 'let_go'))
);
--> statement-breakpoint
CREATE TABLE "release_asks" (
	"user_id" uuid NOT NULL,
	"notice" integer NOT NULL,
	"request_id" uuid NOT NULL,
	"contact_id" uuid NOT NULL,
	"is_again" boolean NOT NULL,
	"is_dead" boolean NOT NULL,
	"token_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "release_asks_user_id_notice_pk" PRIMARY KEY("user_id","notice"),
	CONSTRAINT "release_asks_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "release_notices" (
	"user_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"contact_id" uuid,
	"topic" text NOT NULL,
	"is_texted" boolean NOT NULL,
	"is_dayless" boolean DEFAULT false NOT NULL,
	"written_at" timestamp (3) with time zone NOT NULL,
	"written_healthy_ms" bigint NOT NULL,
	"email_outcome" text,
	"email_at" timestamp (3) with time zone,
	"email_healthy_ms" bigint,
	"has_email_bounced" boolean DEFAULT false NOT NULL,
	"text_outcome" text,
	"text_at" timestamp (3) with time zone,
	"text_healthy_ms" bigint,
	"closed_at" timestamp (3) with time zone,
	CONSTRAINT "release_notices_user_id_number_pk" PRIMARY KEY("user_id","number"),
	CONSTRAINT "release_notices_email_outcome_check" CHECK ("release_notices"."email_outcome" in ('accepted', 'tried', 'withdrawn')),
	CONSTRAINT "release_notices_text_outcome_check" CHECK ("release_notices"."text_outcome" in ('accepted', 'tried', 'withdrawn'))
);
--> statement-breakpoint
CREATE TABLE "release_requests" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"cause" text NOT NULL,
	"inactivity_days" integer NOT NULL,
	"needed" integer NOT NULL,
	"answer_days" integer NOT NULL,
	"waiting_days" integer NOT NULL,
	"opened_at" timestamp (3) with time zone NOT NULL,
	"opened_healthy_ms" bigint NOT NULL,
	"asked_by" uuid,
	"is_silence_over" boolean NOT NULL,
	"silence_asks_at" timestamp (3) with time zone,
	"silence_asks_healthy_ms" bigint,
	"answer_time_at" timestamp (3) with time zone,
	"answer_time_healthy_ms" bigint,
	"answer_time_used_ms" bigint,
	"told_until" timestamp (3) with time zone,
	"owner_notice" integer,
	"shrunk_at" timestamp (3) with time zone,
	"shrunk_healthy_ms" bigint,
	"shrunk_notice" integer,
	"phase" text NOT NULL,
	"phase_at" timestamp (3) with time zone,
	"phase_healthy_ms" bigint,
	"phase_days" integer,
	"paused_by" uuid,
	"wait_notice" integer,
	"released_at" timestamp (3) with time zone,
	"released_healthy_ms" bigint,
	"question_at" timestamp (3) with time zone,
	"question_healthy_ms" bigint,
	"release_number" integer DEFAULT 0 NOT NULL,
	"done_at" timestamp (3) with time zone,
	"by_silence" boolean DEFAULT false NOT NULL,
	"early_review" text,
	"closed_at" timestamp (3) with time zone,
	"outcome" text,
	"stopped_at" timestamp (3) with time zone,
	"stopped_healthy_ms" bigint,
	"removal_token_hash" text,
	CONSTRAINT "release_requests_removal_token_hash_unique" UNIQUE("removal_token_hash"),
	CONSTRAINT "release_requests_early_review_check" CHECK ("release_requests"."early_review" in ('waiting', 'not_needed', 'let_go')),
	CONSTRAINT "release_requests_cause_check" CHECK ("release_requests"."cause" in ('silence', 'emergency', 'trustee')),
	CONSTRAINT "release_requests_phase_check" CHECK ("release_requests"."phase" in ('asking', 'paused', 'holding')),
	CONSTRAINT "release_requests_outcome_check" CHECK ("release_requests"."outcome" in ('owner_back', 'closed', 'no', 'alive', 'did_not_ask', 'nobody_answered', 'too_few_contacts', 'begun_anew', 'taken_back', 'left_as_it_is')),
	CONSTRAINT "release_requests_ended_check" CHECK (("release_requests"."closed_at" is null) = ("release_requests"."outcome" is null)),
	CONSTRAINT "release_requests_marks_check" CHECK (("release_requests"."released_at" is null) = ("release_requests"."released_healthy_ms" is null)
        and ("release_requests"."question_at" is null) = ("release_requests"."question_healthy_ms" is null)
        and ("release_requests"."phase_at" is null) = ("release_requests"."phase_healthy_ms" is null)
        and ("release_requests"."answer_time_at" is null) = ("release_requests"."answer_time_healthy_ms" is null) and ("release_requests"."answer_time_used_ms" is null or "release_requests"."answer_time_at" is not null)
        and ("release_requests"."phase" = 'holding' or "release_requests"."phase_at" is not null)
        and ("release_requests"."phase" = 'asking' or "release_requests"."phase_days" is not null)
        and ("release_requests"."phase" <> 'holding' or "release_requests"."wait_notice" is not null))
);
--> statement-breakpoint
CREATE TABLE "release_silences" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"inactivity_days" integer NOT NULL,
	"needed" integer NOT NULL,
	"answer_days" integer NOT NULL,
	"waiting_days" integer NOT NULL,
	"first_notice" integer NOT NULL,
	"last_notice" integer,
	"opened_at" timestamp (3) with time zone NOT NULL,
	"closed_at" timestamp (3) with time zone,
	"is_expected" boolean DEFAULT false NOT NULL,
	"counted_on_day" text
);
--> statement-breakpoint
CREATE TABLE "release_returns" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"heard_at" timestamp (3) with time zone NOT NULL,
	"is_early" boolean NOT NULL,
	"first_reminder_at" timestamp (3) with time zone,
	"last_reminder_at" timestamp (3) with time zone,
	"asked_at" timestamp (3) with time zone,
	"asked_ids" uuid[] NOT NULL,
	"told_ids" uuid[] NOT NULL,
	"letters" integer NOT NULL,
	"next" text,
	"next_at" timestamp (3) with time zone,
	CONSTRAINT "release_returns_next_check" CHECK (("release_returns"."next" is null) = ("release_returns"."next_at" is null)),
	CONSTRAINT "release_returns_next_step_check" CHECK ("release_returns"."next" in ('letters_go', 'asked_again'))
);
--> statement-breakpoint
CREATE TABLE "authenticators" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"secret" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"confirmed_at" timestamp (3) with time zone,
	"last_step" bigint
);
--> statement-breakpoint
CREATE TABLE "passkeys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"credential_id" text NOT NULL,
	"public_key" "bytea" NOT NULL,
	"counter" bigint NOT NULL,
	"transports" jsonb NOT NULL,
	"name" text NOT NULL,
	"is_backed_up" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "passkeys_credential_id_unique" UNIQUE("credential_id")
);
--> statement-breakpoint
CREATE TABLE "recovery_codes" (
	"user_id" uuid NOT NULL,
	"code_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	CONSTRAINT "recovery_codes_user_id_code_hash_pk" PRIMARY KEY("user_id","code_hash")
);
--> statement-breakpoint
CREATE TABLE "sign_in_steps" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"method" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"is_kept" boolean DEFAULT true NOT NULL
);
--> statement-breakpoint
CREATE TABLE "backup_state" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"place" text NOT NULL,
	"tried_at" timestamp (3) with time zone,
	"made_at" timestamp (3) with time zone,
	"name" text,
	"size_bytes" bigint,
	"failing_since" timestamp (3) with time zone,
	"reason" text,
	"practised_at" timestamp (3) with time zone,
	"letters_opened" integer,
	CONSTRAINT "backup_state_id_check" CHECK ("backup_state"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE "service_alerts" (
	"trouble" text PRIMARY KEY NOT NULL,
	"since" timestamp (3) with time zone,
	"well_since" timestamp (3) with time zone,
	"is_told" boolean DEFAULT false NOT NULL,
	"told_at" timestamp (3) with time zone,
	"is_relapse" boolean DEFAULT false NOT NULL,
	"mails" integer DEFAULT 0 NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"next_try_at" timestamp (3) with time zone,
	"claim" uuid,
	"lease_until" timestamp (3) with time zone,
	CONSTRAINT "service_alerts_trouble_check" CHECK ("service_alerts"."trouble" in ('worker', 'site', 'clock', 'bounces', 'backups'))
);
--> statement-breakpoint
CREATE TABLE "service_health" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"healthy_ms" bigint DEFAULT 0 NOT NULL,
	"last_beat_at" timestamp (3) with time zone,
	"highest_seen_at" timestamp (3) with time zone,
	"mail_troubled_since" timestamp (3) with time zone,
	"outage_ended_at" timestamp (3) with time zone,
	"frozen_at" timestamp (3) with time zone,
	"frozen_reason" text,
	"silence_stopped_at" timestamp (3) with time zone,
	"resumed_at" timestamp (3) with time zone,
	"resumed_healthy_ms" bigint,
	"breaker_day" text,
	"breaker_count" integer DEFAULT 0 NOT NULL,
	"key_copied_at" timestamp (3) with time zone,
	"key_copied_version" integer,
	"clock_offset_ms" bigint DEFAULT 0 NOT NULL,
	"clock_lived_ms" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "site_watch" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"address" text NOT NULL,
	"asked_at" timestamp (3) with time zone NOT NULL,
	"answered_at" timestamp (3) with time zone,
	"failing_since" timestamp (3) with time zone,
	"back_at" timestamp (3) with time zone,
	"reason" text,
	CONSTRAINT "site_watch_id_check" CHECK ("site_watch"."id" = 1)
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
	"user_id" uuid,
	"person_hash" text NOT NULL,
	"checkout_id" uuid NOT NULL,
	"held_until" timestamp (3) with time zone,
	"used_at" timestamp (3) with time zone,
	CONSTRAINT "voucher_usage_voucher_code_id_person_hash_unique" UNIQUE("voucher_code_id","person_hash"),
	CONSTRAINT "voucher_usage_state_check" CHECK (("voucher_usage"."held_until" is null) <> ("voucher_usage"."used_at" is null))
);
--> statement-breakpoint
CREATE TABLE "writing_questions" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"asked_at" timestamp (3) with time zone,
	"asked" integer DEFAULT 0 NOT NULL,
	"link_hash" text NOT NULL,
	CONSTRAINT "writing_questions_link_hash_unique" UNIQUE("link_hash")
);
--> statement-breakpoint
ALTER TABLE "checkins" ADD CONSTRAINT "checkins_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "not_me_links" ADD CONSTRAINT "not_me_links_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "vault_keys" ADD CONSTRAINT "vault_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_logs" ADD CONSTRAINT "audit_logs_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "checkouts" ADD CONSTRAINT "checkouts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "checkouts" ADD CONSTRAINT "checkouts_subscription_id_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "checkouts" ADD CONSTRAINT "checkouts_voucher_code_id_voucher_codes_id_fk" FOREIGN KEY ("voucher_code_id") REFERENCES "public"."voucher_codes"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payment_events" ADD CONSTRAINT "payment_events_subscription_id_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "payments" ADD CONSTRAINT "payments_subscription_id_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."subscriptions"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subscriptions" ADD CONSTRAINT "subscriptions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bulk_email_recipients" ADD CONSTRAINT "bulk_email_recipients_bulk_email_id_bulk_emails_id_fk" FOREIGN KEY ("bulk_email_id") REFERENCES "public"."bulk_emails"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bulk_email_recipients" ADD CONSTRAINT "bulk_email_recipients_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bulk_emails" ADD CONSTRAINT "bulk_emails_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "complaints" ADD CONSTRAINT "complaints_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trusted_contacts" ADD CONSTRAINT "trusted_contacts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trustee_relationships" ADD CONSTRAINT "trustee_relationships_trustee_user_id_users_id_fk" FOREIGN KEY ("trustee_user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trustee_relationships" ADD CONSTRAINT "trustee_relationships_owner_user_id_users_id_fk" FOREIGN KEY ("owner_user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trustee_relationships" ADD CONSTRAINT "trustee_relationships_trusted_contact_id_trusted_contacts_id_fk" FOREIGN KEY ("trusted_contact_id") REFERENCES "public"."trusted_contacts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "declining_readers" ADD CONSTRAINT "declining_readers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "held_back_letters" ADD CONSTRAINT "held_back_letters_request_id_release_requests_id_fk" FOREIGN KEY ("request_id") REFERENCES "public"."release_requests"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "held_back_letters" ADD CONSTRAINT "held_back_letters_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_deliveries" ADD CONSTRAINT "message_deliveries_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_deliveries" ADD CONSTRAINT "message_deliveries_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_deliveries" ADD CONSTRAINT "message_deliveries_request_id_release_requests_id_fk" FOREIGN KEY ("request_id") REFERENCES "public"."release_requests"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_deliveries" ADD CONSTRAINT "message_deliveries_replaces_delivery_id_message_deliveries_id_fk" FOREIGN KEY ("replaces_delivery_id") REFERENCES "public"."message_deliveries"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "new_address_links" ADD CONSTRAINT "new_address_links_request_id_release_requests_id_fk" FOREIGN KEY ("request_id") REFERENCES "public"."release_requests"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "new_address_links" ADD CONSTRAINT "new_address_links_contact_id_trusted_contacts_id_fk" FOREIGN KEY ("contact_id") REFERENCES "public"."trusted_contacts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reached_mailboxes" ADD CONSTRAINT "reached_mailboxes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "release_halts" ADD CONSTRAINT "release_halts_request_id_release_requests_id_fk" FOREIGN KEY ("request_id") REFERENCES "public"."release_requests"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "release_halts" ADD CONSTRAINT "release_halts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "documents" ADD CONSTRAINT "documents_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "documents" ADD CONSTRAINT "documents_file_path_file_objects_path_fk" FOREIGN KEY ("file_path") REFERENCES "public"."file_objects"("path") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_drafts" ADD CONSTRAINT "message_drafts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_drafts" ADD CONSTRAINT "message_drafts_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "first_weeks" ADD CONSTRAINT "first_weeks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_checklists" ADD CONSTRAINT "user_checklists_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_links" ADD CONSTRAINT "identity_links_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_identities" ADD CONSTRAINT "user_identities_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_enclosures" ADD CONSTRAINT "message_enclosures_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_enclosures" ADD CONSTRAINT "message_enclosures_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_enclosures" ADD CONSTRAINT "message_enclosures_original_of_message_enclosures_id_fk" FOREIGN KEY ("original_of") REFERENCES "public"."message_enclosures"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_enclosures" ADD CONSTRAINT "message_enclosures_file_path_file_objects_path_fk" FOREIGN KEY ("file_path") REFERENCES "public"."file_objects"("path") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "message_recipients" ADD CONSTRAINT "message_recipients_message_id_messages_id_fk" FOREIGN KEY ("message_id") REFERENCES "public"."messages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_attachment_path_file_objects_path_fk" FOREIGN KEY ("attachment_path") REFERENCES "public"."file_objects"("path") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ready_changes" ADD CONSTRAINT "ready_changes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "address_proposals" ADD CONSTRAINT "address_proposals_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "address_proposals" ADD CONSTRAINT "address_proposals_request_id_release_requests_id_fk" FOREIGN KEY ("request_id") REFERENCES "public"."release_requests"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "address_proposals" ADD CONSTRAINT "address_proposals_delivery_id_message_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."message_deliveries"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "address_proposals" ADD CONSTRAINT "address_proposals_contact_id_trusted_contacts_id_fk" FOREIGN KEY ("contact_id") REFERENCES "public"."trusted_contacts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "address_proposals" ADD CONSTRAINT "address_proposals_answered_by_trusted_contacts_id_fk" FOREIGN KEY ("answered_by") REFERENCES "public"."trusted_contacts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "given_addresses" ADD CONSTRAINT "given_addresses_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "given_addresses" ADD CONSTRAINT "given_addresses_request_id_release_requests_id_fk" FOREIGN KEY ("request_id") REFERENCES "public"."release_requests"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "given_addresses" ADD CONSTRAINT "given_addresses_contact_id_trusted_contacts_id_fk" FOREIGN KEY ("contact_id") REFERENCES "public"."trusted_contacts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_contact_id_trusted_contacts_id_fk" FOREIGN KEY ("contact_id") REFERENCES "public"."trusted_contacts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "push_devices" ADD CONSTRAINT "push_devices_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sms_notifications" ADD CONSTRAINT "sms_notifications_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sms_notifications" ADD CONSTRAINT "sms_notifications_notification_id_notifications_id_fk" FOREIGN KEY ("notification_id") REFERENCES "public"."notifications"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "retention_notices" ADD CONSTRAINT "retention_notices_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recently_deleted" ADD CONSTRAINT "recently_deleted_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recently_deleted_files" ADD CONSTRAINT "recently_deleted_files_file_path_file_objects_path_fk" FOREIGN KEY ("file_path") REFERENCES "public"."file_objects"("path") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recently_deleted_files" ADD CONSTRAINT "recently_deleted_files_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recently_deleted_files" ADD CONSTRAINT "recently_deleted_files_deleted_id_recently_deleted_id_fk" FOREIGN KEY ("deleted_id") REFERENCES "public"."recently_deleted"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "checkin_links" ADD CONSTRAINT "checkin_links_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "release_answers" ADD CONSTRAINT "release_answers_request_id_release_requests_id_fk" FOREIGN KEY ("request_id") REFERENCES "public"."release_requests"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "release_answers" ADD CONSTRAINT "release_answers_contact_id_trusted_contacts_id_fk" FOREIGN KEY ("contact_id") REFERENCES "public"."trusted_contacts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "release_asks" ADD CONSTRAINT "release_asks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "release_asks" ADD CONSTRAINT "release_asks_request_id_release_requests_id_fk" FOREIGN KEY ("request_id") REFERENCES "public"."release_requests"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "release_asks" ADD CONSTRAINT "release_asks_contact_id_trusted_contacts_id_fk" FOREIGN KEY ("contact_id") REFERENCES "public"."trusted_contacts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "release_notices" ADD CONSTRAINT "release_notices_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "release_notices" ADD CONSTRAINT "release_notices_contact_id_trusted_contacts_id_fk" FOREIGN KEY ("contact_id") REFERENCES "public"."trusted_contacts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "release_requests" ADD CONSTRAINT "release_requests_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "release_requests" ADD CONSTRAINT "release_requests_asked_by_trusted_contacts_id_fk" FOREIGN KEY ("asked_by") REFERENCES "public"."trusted_contacts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "release_requests" ADD CONSTRAINT "release_requests_paused_by_trusted_contacts_id_fk" FOREIGN KEY ("paused_by") REFERENCES "public"."trusted_contacts"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "release_silences" ADD CONSTRAINT "release_silences_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "release_returns" ADD CONSTRAINT "release_returns_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "authenticators" ADD CONSTRAINT "authenticators_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_steps" ADD CONSTRAINT "sign_in_steps_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "voucher_usage" ADD CONSTRAINT "voucher_usage_voucher_code_id_voucher_codes_id_fk" FOREIGN KEY ("voucher_code_id") REFERENCES "public"."voucher_codes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "voucher_usage" ADD CONSTRAINT "voucher_usage_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "writing_questions" ADD CONSTRAINT "writing_questions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "rate_limits_window_ends_at_index" ON "rate_limits" USING btree ("window_ends_at");--> statement-breakpoint
CREATE INDEX "checkins_user_id_created_at_index" ON "checkins" USING btree ("user_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "checkins_created_at_index" ON "checkins" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "login_attempts_last_tried_at_index" ON "login_attempts" USING btree ("last_tried_at");--> statement-breakpoint
CREATE INDEX "not_me_links_user_id_index" ON "not_me_links" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "not_me_links_expires_at_index" ON "not_me_links" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sessions_expire_index" ON "sessions" USING btree ("expire");--> statement-breakpoint
CREATE INDEX "sessions_user_id_index" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "users_mailbox_index" ON "users" USING btree ((case when split_part(email, '@', 2) in ('gmail.com', 'googlemail.com')
    then replace(coalesce(nullif(split_part(split_part(email, '@', 1), '+', 1), ''), split_part(email, '@', 1)), '.', '') || '@gmail.com' else coalesce(nullif(split_part(split_part(email, '@', 1), '+', 1), ''), split_part(email, '@', 1)) || '@' || split_part(email, '@', 2) end));--> statement-breakpoint
CREATE INDEX "users_next_step_at_index" ON "users" USING btree ("next_step_at","id");--> statement-breakpoint
CREATE INDEX "users_former_phone_until_index" ON "users" USING btree ("former_phone_until") WHERE "users"."former_phone_until" is not null;--> statement-breakpoint
CREATE INDEX "users_created_at_index" ON "users" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "users_name_index" ON "users" USING btree (lower(coalesce(last_name, '') || ' ' || coalesce(first_name, '')),"id");--> statement-breakpoint
CREATE INDEX "users_last_login_at_index" ON "users" USING btree (coalesce(last_login_at, '-infinity'::timestamptz),"id");--> statement-breakpoint
CREATE INDEX "users_last_checkin_hour_index" ON "users" USING btree ("last_checkin_hour","id");--> statement-breakpoint
CREATE INDEX "users_unverified_index" ON "users" USING btree ("created_at","id") WHERE not "users"."email_verified" and "users"."first_verified_at" is null and "users"."vouched_at" is null;--> statement-breakpoint
CREATE INDEX "users_lapsed_index" ON "users" USING btree ("subscription_end","id") WHERE "users"."plan" = 'free' and "users"."subscription_end" is not null;--> statement-breakpoint
CREATE INDEX "users_search_text_index" ON "users" USING gin ("search_text" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "users_deletion_requested_at_index" ON "users" USING btree ("deletion_requested_at") WHERE "users"."deletion_requested_at" is not null;--> statement-breakpoint
CREATE INDEX "users_news_stopped_at_index" ON "users" USING btree ("news_stopped_at") WHERE "users"."news_stopped_at" is not null;--> statement-breakpoint
CREATE INDEX "users_held_index" ON "users" USING btree ("id") WHERE "users"."release_frozen_at" is not null or "users"."release_restart_notice" is not null;--> statement-breakpoint
CREATE INDEX "users_phone_number_index" ON "users" USING btree ("phone_number") WHERE "users"."phone_number" is not null;--> statement-breakpoint
CREATE INDEX "audit_logs_created_at_index" ON "audit_logs" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "audit_logs_user_id_created_at_index" ON "audit_logs" USING btree ("user_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "checkouts_user_id_created_at_index" ON "checkouts" USING btree ("user_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "checkouts_email_index" ON "checkouts" USING btree ("email");--> statement-breakpoint
CREATE INDEX "checkouts_subscription_id_index" ON "checkouts" USING btree ("subscription_id");--> statement-breakpoint
CREATE INDEX "checkouts_voucher_code_id_index" ON "checkouts" USING btree ("voucher_code_id");--> statement-breakpoint
CREATE INDEX "checkouts_expires_at_index" ON "checkouts" USING btree ("expires_at") WHERE "checkouts"."status" = 'open';--> statement-breakpoint
CREATE INDEX "payment_events_subscription_id_index" ON "payment_events" USING btree ("subscription_id");--> statement-breakpoint
CREATE INDEX "payment_events_subjects_index" ON "payment_events" USING gin ("subjects");--> statement-breakpoint
CREATE INDEX "payment_events_due_index" ON "payment_events" USING btree ("next_attempt_at");--> statement-breakpoint
CREATE INDEX "payment_events_received_at_index" ON "payment_events" USING btree ("received_at") WHERE "payment_events"."body" is not null;--> statement-breakpoint
CREATE INDEX "payments_user_id_paid_at_index" ON "payments" USING btree ("user_id","paid_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "payments_subscription_id_index" ON "payments" USING btree ("subscription_id");--> statement-breakpoint
CREATE INDEX "payments_paid_at_index" ON "payments" USING btree ("paid_at");--> statement-breakpoint
CREATE INDEX "payments_payer_id_index" ON "payments" USING btree ("payer_id");--> statement-breakpoint
CREATE INDEX "subscriptions_user_id_index" ON "subscriptions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "subscriptions_email_index" ON "subscriptions" USING btree ("email") WHERE "subscriptions"."user_id" is null;--> statement-breakpoint
CREATE INDEX "subscriptions_next_step_at_index" ON "subscriptions" USING btree ("next_step_at");--> statement-breakpoint
CREATE INDEX "subscriptions_created_at_index" ON "subscriptions" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "bulk_email_recipients_state_index" ON "bulk_email_recipients" USING btree ("bulk_email_id","state");--> statement-breakpoint
CREATE INDEX "bulk_email_recipients_taken_at_index" ON "bulk_email_recipients" USING btree ("taken_at");--> statement-breakpoint
CREATE INDEX "bulk_email_recipients_user_id_index" ON "bulk_email_recipients" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "bulk_emails_created_at_index" ON "bulk_emails" USING btree ("created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "bulk_emails_created_by_index" ON "bulk_emails" USING btree ("created_by");--> statement-breakpoint
CREATE INDEX "complaints_user_id_index" ON "complaints" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "complaints_received_at_index" ON "complaints" USING btree ("received_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "complaints_closed_at_index" ON "complaints" USING btree ("closed_at");--> statement-breakpoint
CREATE INDEX "trusted_contacts_user_id_created_at_index" ON "trusted_contacts" USING btree ("user_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "trusted_contacts_mailbox_index" ON "trusted_contacts" USING btree ((case when split_part(email, '@', 2) in ('gmail.com', 'googlemail.com')
    then replace(coalesce(nullif(split_part(split_part(email, '@', 1), '+', 1), ''), split_part(email, '@', 1)), '.', '') || '@gmail.com' else coalesce(nullif(split_part(split_part(email, '@', 1), '+', 1), ''), split_part(email, '@', 1)) || '@' || split_part(email, '@', 2) end));--> statement-breakpoint
CREATE INDEX "trusted_contacts_confirmed_healthy_ms_index" ON "trusted_contacts" USING btree ("confirmed_healthy_ms");--> statement-breakpoint
CREATE INDEX "trustee_relationships_trustee_user_id_index" ON "trustee_relationships" USING btree ("trustee_user_id");--> statement-breakpoint
CREATE INDEX "trustee_relationships_owner_user_id_index" ON "trustee_relationships" USING btree ("owner_user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "declining_readers_person_unique" ON "declining_readers" USING btree ("user_id","person_key");--> statement-breakpoint
CREATE INDEX "held_back_letters_message_id_index" ON "held_back_letters" USING btree ("message_id");--> statement-breakpoint
CREATE UNIQUE INDEX "message_deliveries_one_a_release_unique" ON "message_deliveries" USING btree ("request_id","message_id","recipient_id") WHERE "message_deliveries"."replaces_delivery_id" is null and "message_deliveries"."status" not in ('cancelled', 'withdrawn');--> statement-breakpoint
CREATE UNIQUE INDEX "message_deliveries_replaces_delivery_id_unique" ON "message_deliveries" USING btree ("replaces_delivery_id");--> statement-breakpoint
CREATE UNIQUE INDEX "message_deliveries_one_effective_unique" ON "message_deliveries" USING btree ("message_id","recipient_id") WHERE "message_deliveries"."status" in ('waiting', 'pending', 'accepted');--> statement-breakpoint
CREATE INDEX "message_deliveries_request_id_status_index" ON "message_deliveries" USING btree ("request_id","status");--> statement-breakpoint
CREATE INDEX "message_deliveries_request_id_person_key_index" ON "message_deliveries" USING btree ("request_id","person_key");--> statement-breakpoint
CREATE INDEX "message_deliveries_message_id_recipient_id_index" ON "message_deliveries" USING btree ("message_id","recipient_id");--> statement-breakpoint
CREATE INDEX "message_deliveries_mail_id_index" ON "message_deliveries" USING btree ("mail_id");--> statement-breakpoint
CREATE INDEX "message_deliveries_unopened_index" ON "message_deliveries" USING btree ("link_began_healthy_ms","id") WHERE "message_deliveries"."status" = 'accepted' and "message_deliveries"."accessed_at" is null;--> statement-breakpoint
CREATE INDEX "message_deliveries_waiting_index" ON "message_deliveries" USING btree ("user_id","due_at") WHERE "message_deliveries"."status" = 'waiting';--> statement-breakpoint
CREATE INDEX "message_deliveries_user_id_index" ON "message_deliveries" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "new_address_links_contact_id_index" ON "new_address_links" USING btree ("contact_id");--> statement-breakpoint
CREATE INDEX "release_halts_user_id_index" ON "release_halts" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "documents_user_id_created_at_index" ON "documents" USING btree ("user_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "message_drafts_message_id_index" ON "message_drafts" USING btree ("message_id");--> statement-breakpoint
CREATE INDEX "file_objects_created_at_index" ON "file_objects" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "identity_links_user_id_index" ON "identity_links" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "identity_links_expires_at_index" ON "identity_links" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "integrity_events_last_seen_at_index" ON "integrity_events" USING btree ("last_seen_at");--> statement-breakpoint
CREATE INDEX "message_enclosures_message_id_position_index" ON "message_enclosures" USING btree ("message_id","position");--> statement-breakpoint
CREATE INDEX "message_enclosures_user_id_index" ON "message_enclosures" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "message_enclosures_staged_index" ON "message_enclosures" USING btree ("created_at") WHERE "message_enclosures"."staging" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "message_enclosures_file_path_unique" ON "message_enclosures" USING btree ("file_path");--> statement-breakpoint
CREATE UNIQUE INDEX "message_enclosures_original_of_unique" ON "message_enclosures" USING btree ("original_of");--> statement-breakpoint
CREATE UNIQUE INDEX "message_recipients_message_id_position_unique" ON "message_recipients" USING btree ("message_id","position");--> statement-breakpoint
CREATE INDEX "messages_user_id_created_at_index" ON "messages" USING btree ("user_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "messages_delivered_index" ON "messages" USING btree ("user_id","delivered_at") WHERE "messages"."status" = 'delivered';--> statement-breakpoint
CREATE INDEX "messages_ready_index" ON "messages" USING btree ("user_id") WHERE "messages"."status" = 'ready';--> statement-breakpoint
CREATE UNIQUE INDEX "messages_attachment_path_unique" ON "messages" USING btree ("attachment_path") WHERE "messages"."attachment_path" is not null;--> statement-breakpoint
CREATE INDEX "ready_changes_since_index" ON "ready_changes" USING btree ("since") WHERE "ready_changes"."since" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "address_proposals_one_live_unique" ON "address_proposals" USING btree ("delivery_id") WHERE "address_proposals"."status" in ('proposed', 'waiting');--> statement-breakpoint
CREATE INDEX "address_proposals_look_at_index" ON "address_proposals" USING btree ("look_at") WHERE "address_proposals"."status" in ('proposed', 'waiting');--> statement-breakpoint
CREATE INDEX "address_proposals_request_id_index" ON "address_proposals" USING btree ("request_id");--> statement-breakpoint
CREATE INDEX "address_proposals_user_id_index" ON "address_proposals" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "address_proposals_contact_id_index" ON "address_proposals" USING btree ("contact_id");--> statement-breakpoint
CREATE INDEX "address_proposals_answered_by_index" ON "address_proposals" USING btree ("answered_by");--> statement-breakpoint
CREATE UNIQUE INDEX "given_addresses_one_a_contact_unique" ON "given_addresses" USING btree ("request_id","contact_id");--> statement-breakpoint
CREATE UNIQUE INDEX "given_addresses_mailbox_unique" ON "given_addresses" USING btree ("user_id","mailbox_key");--> statement-breakpoint
CREATE INDEX "given_addresses_contact_id_index" ON "given_addresses" USING btree ("contact_id");--> statement-breakpoint
CREATE INDEX "mail_domains_mass_refused_at_index" ON "mail_domains" USING btree ("mass_refused_at");--> statement-breakpoint
CREATE INDEX "notifications_due_index" ON "notifications" USING btree ("is_on_hold","next_attempt_at","id") WHERE "notifications"."status" in ('pending', 'sending');--> statement-breakpoint
CREATE INDEX "notifications_return_key_index" ON "notifications" USING btree (md5("message_id"));--> statement-breakpoint
CREATE INDEX "notifications_subject_id_index" ON "notifications" USING btree ("subject_id");--> statement-breakpoint
CREATE INDEX "notifications_user_id_notice_index" ON "notifications" USING btree ("user_id","notice") WHERE "notifications"."notice" is not null;--> statement-breakpoint
CREATE INDEX "notifications_contact_id_index" ON "notifications" USING btree ("contact_id") WHERE "notifications"."contact_id" is not null;--> statement-breakpoint
CREATE INDEX "notifications_user_id_created_at_index" ON "notifications" USING btree ("user_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "notifications_accepted_at_index" ON "notifications" USING btree ("accepted_at" DESC NULLS LAST) WHERE "notifications"."accepted_at" is not null;--> statement-breakpoint
CREATE INDEX "notifications_bounced_at_index" ON "notifications" USING btree ("bounced_at") WHERE "notifications"."bounced_at" is not null;--> statement-breakpoint
CREATE INDEX "notifications_replied_at_index" ON "notifications" USING btree ("user_id","replied_at") WHERE "notifications"."replied_at" is not null;--> statement-breakpoint
CREATE INDEX "notifications_domain_accepted_index" ON "notifications" USING btree ("domain_key","accepted_at") WHERE "notifications"."accepted_at" is not null;--> statement-breakpoint
CREATE INDEX "notifications_mailbox_accepted_index" ON "notifications" USING btree ("domain_key","mailbox_key","accepted_at") WHERE "notifications"."accepted_at" is not null;--> statement-breakpoint
CREATE INDEX "notifications_domain_refused_index" ON "notifications" USING btree ("domain_key","refused_at") WHERE "notifications"."refused_at" is not null;--> statement-breakpoint
CREATE INDEX "notifications_troubled_at_index" ON "notifications" USING btree ("troubled_at") WHERE "notifications"."troubled_at" is not null;--> statement-breakpoint
CREATE INDEX "notifications_accepted_message_id_index" ON "notifications" USING btree ("message_id") WHERE "notifications"."status" = 'accepted';--> statement-breakpoint
CREATE INDEX "notifications_lost_index" ON "notifications" USING btree ("last_attempt_at") WHERE "notifications"."status" = 'cancelled' and "notifications"."is_leaving";--> statement-breakpoint
CREATE INDEX "notifications_failed_mail_index" ON "notifications" USING btree ("last_attempt_at" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE ("notifications"."channel" = 'email' and "notifications"."accepted_at" is null and ("notifications"."status" in ('bounced', 'dead')
    or "notifications"."status" = 'pending' and "notifications"."attempts" > 0 or "notifications"."status" = 'sending' and "notifications"."attempts" > 1));--> statement-breakpoint
CREATE INDEX "notifications_failing_user_id_index" ON "notifications" USING btree ("user_id") WHERE "notifications"."status" = 'pending' and "notifications"."attempts" > 0;--> statement-breakpoint
CREATE INDEX "notifications_ended_at_index" ON "notifications" USING btree ("ended_at") WHERE "notifications"."ended_at" is not null;--> statement-breakpoint
CREATE INDEX "notifications_kept_payload_index" ON "notifications" USING btree ("ended_at") WHERE "notifications"."ended_at" is not null and "notifications"."payload" is not null;--> statement-breakpoint
CREATE INDEX "notifications_given_up_index" ON "notifications" USING btree ("ended_at") WHERE "notifications"."status" in ('bounced', 'dead');--> statement-breakpoint
CREATE INDEX "push_devices_user_id_index" ON "push_devices" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sms_notifications_user_id_created_at_index" ON "sms_notifications" USING btree ("user_id","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "sms_notifications_notification_id_index" ON "sms_notifications" USING btree ("notification_id");--> statement-breakpoint
CREATE INDEX "sms_notifications_created_at_index" ON "sms_notifications" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "retention_notices_notification_id_index" ON "retention_notices" USING btree ("notification_id");--> statement-breakpoint
CREATE INDEX "recently_deleted_user_id_deleted_at_index" ON "recently_deleted" USING btree ("user_id","deleted_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "recently_deleted_deleted_at_index" ON "recently_deleted" USING btree ("deleted_at");--> statement-breakpoint
CREATE INDEX "recently_deleted_files_deleted_id_index" ON "recently_deleted_files" USING btree ("deleted_id");--> statement-breakpoint
CREATE INDEX "recently_deleted_files_user_id_index" ON "recently_deleted_files" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "checkin_links_user_id_index" ON "checkin_links" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "checkin_links_expires_at_index" ON "checkin_links" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "release_answers_request_id_number_unique" ON "release_answers" USING btree ("request_id","number");--> statement-breakpoint
CREATE INDEX "release_answers_contact_id_index" ON "release_answers" USING btree ("contact_id");--> statement-breakpoint
CREATE INDEX "release_answers_held_index" ON "release_answers" USING btree ("contact_id") WHERE "release_answers"."hold" = 'held';--> statement-breakpoint
CREATE INDEX "release_asks_request_id_index" ON "release_asks" USING btree ("request_id");--> statement-breakpoint
CREATE INDEX "release_asks_contact_id_index" ON "release_asks" USING btree ("contact_id");--> statement-breakpoint
CREATE INDEX "release_notices_open_index" ON "release_notices" USING btree ("user_id") WHERE "release_notices"."closed_at" is null;--> statement-breakpoint
CREATE INDEX "release_notices_contact_id_index" ON "release_notices" USING btree ("contact_id");--> statement-breakpoint
CREATE UNIQUE INDEX "release_requests_one_open_unique" ON "release_requests" USING btree ("user_id") WHERE "release_requests"."closed_at" is null;--> statement-breakpoint
CREATE INDEX "release_requests_under_way_index" ON "release_requests" USING btree ("user_id") WHERE "release_requests"."closed_at" is null and "release_requests"."done_at" is null;--> statement-breakpoint
CREATE INDEX "release_requests_user_id_opened_at_index" ON "release_requests" USING btree ("user_id","opened_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "release_requests_asked_by_index" ON "release_requests" USING btree ("asked_by");--> statement-breakpoint
CREATE INDEX "release_requests_paused_by_index" ON "release_requests" USING btree ("paused_by");--> statement-breakpoint
CREATE INDEX "release_requests_waiting_index" ON "release_requests" USING btree ("user_id") WHERE "release_requests"."closed_at" is null and "release_requests"."question_at" is not null;--> statement-breakpoint
CREATE INDEX "release_requests_early_review_index" ON "release_requests" USING btree ("user_id") WHERE "release_requests"."closed_at" is null and "release_requests"."early_review" = 'waiting';--> statement-breakpoint
CREATE UNIQUE INDEX "release_silences_one_open_unique" ON "release_silences" USING btree ("user_id") WHERE "release_silences"."closed_at" is null;--> statement-breakpoint
CREATE INDEX "release_silences_user_id_index" ON "release_silences" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "release_silences_warned_index" ON "release_silences" USING btree ("user_id") WHERE "release_silences"."closed_at" is null and "release_silences"."last_notice" is not null;--> statement-breakpoint
CREATE INDEX "release_silences_counted_on_day_index" ON "release_silences" USING btree ("counted_on_day") WHERE "release_silences"."counted_on_day" is not null;--> statement-breakpoint
CREATE INDEX "passkeys_user_id_index" ON "passkeys" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sign_in_steps_user_id_index" ON "sign_in_steps" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sign_in_steps_expires_at_index" ON "sign_in_steps" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "voucher_usage_user_id_index" ON "voucher_usage" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "voucher_usage_checkout_id_index" ON "voucher_usage" USING btree ("checkout_id");--> statement-breakpoint
CREATE INDEX "writing_questions_asked_at_index" ON "writing_questions" USING btree ("asked_at");
--> statement-breakpoint
-- SQL that the tables need and drizzle-kit does not write. `npm run db:initial` appends it to the first migration.

-- users.next_step_at tells the sweep when to visit an owner. It may be too early, never too late, whether the service
-- or an operator with psql changes its columns. While a release is open, the present time is the only safe value.
-- Otherwise the next nudge or the first reminder is the earliest step. Days are 24 hours each. Days of absence only
-- make it later, so they are left out here.
CREATE FUNCTION "set_next_step_at"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND (
    EXISTS (SELECT 1 FROM "release_silences" WHERE "user_id" = NEW."id" AND "closed_at" IS NULL)
    OR EXISTS (SELECT 1 FROM "release_requests" WHERE "user_id" = NEW."id" AND "closed_at" IS NULL)
  ) THEN
    NEW."next_step_at" := to_timestamp(0);
  ELSE
    -- The hour in place of the instant: a second activity within the hour leaves the indexed column unchanged.
    -- PostgreSQL can then update the row without touching an index.
    NEW."next_step_at" := date_trunc('hour', NEW."last_checkin_at"
      + least(ceil(NEW."inactivity_days" / 2.0), NEW."checkin_interval_days") * interval '24 hours');
  END IF;
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "users_next_step_at" BEFORE INSERT OR UPDATE OF
  "last_checkin_at", "inactivity_days", "checkin_interval_days", "release_method", "release_quorum",
  "release_waiting_days", "release_answer_days", "away_until", "release_frozen_at", "email_verified"
ON "users" FOR EACH ROW EXECUTE FUNCTION "set_next_step_at"();
--> statement-breakpoint
INSERT INTO "service_health" ("id") VALUES (1) ON CONFLICT DO NOTHING;
