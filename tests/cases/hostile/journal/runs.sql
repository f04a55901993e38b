-- A run that waited, and was answered; and one that was cut off while a call was out that only reads, it says.
INSERT INTO runs (number, id, state, script, created, fence) VALUES
    (1, x'01900000000070008000000000000001', 'waiting', 'evil.ts', 1763400000000000, 1),
    (2, x'01900000000070008000000000000002', 'running', 'evil.ts', 1763400000000000, 1);
INSERT INTO questions (number, id, run, body, asked_at, open) VALUES
    (1, x'01900000000070008000000000000003', 1, '{}', 1763400000000000, 0);
INSERT INTO decisions (question, ask, decision, who, channel, at) VALUES
    (1, 1, '"approve"', 'you', 'terminal', 1763400000000000);
INSERT INTO entries (id, kind, call, at, cpu, wall, lines, calls, meta, text) VALUES
    (8589934592, 'requested', 1, 1763400000000000, 0, 0, 0, 1, '{"tool":"evil:go","verdict":"go"}', '{}'),
    (8589934593, 'executing', 1, 1763400000000000, 0, 0, 0, 1, '{"tool":"evil:go","effects":"read_only"}', NULL);
