-- What a message was before is carried over. One whose answer was being sent is closed, because part of it may have arrived.
INSERT INTO `channel_inbound` (id, tenant_id, channel, account_id, dedupe_key, kind, event, channel_message_id, lane, state, tries, interruptions, due_at, sent_at, received_at, plan, outcome, closed_at)
SELECT id, tenant, channel, account, 'message:' || message_id, 'message',
  CASE WHEN (state = 'done' or (state = 'replying' and awaits is null)) THEN '{"type":"forgotten"}' ELSE json_patch('{}', json_object('type', 'message', 'account', account, 'dedupeKey', message_id, 'messageId', message_id, 'conversation', json_object('address', json_object('kind', sender_kind, 'address', sender), 'key', sender, 'isGroup', json('false')), 'sender', json_object('kind', sender_kind, 'address', sender), 'contactName', contact_name, 'isForwarded', json('false'), 'kind', 'text', 'text', text, 'media', json('[]'), 'proof', 'hmac-sha256')) END,
  message_id,
  CASE WHEN (state = 'done' or (state = 'replying' and awaits is null)) THEN NULL WHEN awaits is not null and state in ('paused', 'replying') THEN 'aside:' || id ELSE account || ':c:' || sender END,
  CASE WHEN (state = 'done' or (state = 'replying' and awaits is null)) THEN 'done' ELSE 'waiting' END,
  0, 0, received_at, sent_at, received_at,
  CASE WHEN (state = 'done' or (state = 'replying' and awaits is null)) THEN NULL WHEN awaits is not null and state in ('paused', 'replying') THEN json_object('awaits', awaits) WHEN state = 'running' THEN '{"begun":true}' WHEN request = 'too_long' THEN '{"notice":"too_long"}' END,
  CASE WHEN (state = 'done' or (state = 'replying' and awaits is null)) THEN 'carried_over' END,
  CASE WHEN (state = 'done' or (state = 'replying' and awaits is null)) THEN received_at END
FROM `channel_messages`;
--> statement-breakpoint
DROP TABLE `channel_messages`;
