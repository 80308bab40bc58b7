-- Fewer index entries for a round trip (ADR 113). An open request is in indexes of open requests, and in those by kind
-- and requester once it has ended; no list needs both.
DROP INDEX requests_open;
DROP INDEX requests_open_requester;
DROP INDEX requests_kind;
DROP INDEX requests_requester;
CREATE INDEX requests_open_kind ON requests (tenant, kind, status, id) WHERE status IN ('pending', 'resolving');
CREATE INDEX requests_open_requester ON requests (tenant, requester, kind, status, id)
    WHERE status IN ('pending', 'resolving');
CREATE INDEX requests_kind ON requests (tenant, kind, status, id) WHERE status NOT IN ('pending', 'resolving');
CREATE INDEX requests_requester ON requests (tenant, requester, kind, status, id)
    WHERE status NOT IN ('pending', 'resolving');

-- The index has the position in steps of 1024, so that most activity changes a row without an entry in any index. A
-- page sorts the threads of a step.
ALTER TABLE thread_activity ADD COLUMN bucket bigint GENERATED ALWAYS AS (position >> 10) STORED;
DROP INDEX thread_activity_tenant;
CREATE INDEX thread_activity_tenant ON thread_activity (tenant, bucket);

-- `write_group` that writes resumes too, beside the one of migration 34, which servers of the version before still call.
-- It updates rows without locking them first, in the order of the arrays, which are sorted. What is there already is an
-- error that undoes the call. A spec that gets a number comes without its last brace. Arrays are unnested in a SELECT
-- list: in FROM, Postgres stores each of them a second time.
CREATE FUNCTION write_group(
    origin text,
    window_ms bigint, most_questions bigint, most_in_thread bigint, most_of_requester bigint,
    claim_ids bytea[], claim_tenants text[], claim_threads text[], claim_digests text[], claim_targets text[],
    step_tenants text[], step_ids text[], step_expected text[], step_revisions integer[], step_before text[],
    step_statuses text[], step_states text[], step_growths integer[], step_specs text[], step_timed boolean[],
    step_expires_at bigint[], step_due_at bigint[],
    step_settled_at text[], step_persons text[], step_outcomes text[],
    thread_tenants text[], thread_ids text[], thread_events bigint[], thread_new_agents text[], thread_forms bigint[],
    thread_times bigint[], thread_takes boolean[], thread_opened bigint[],
    requester_tenants text[], requester_ids text[], requester_opened bigint[],
    request_threads integer[], request_after bigint[], request_tenants text[], request_ids text[], request_kinds text[],
    request_requesters text[], request_statuses text[], request_revisions integer[], request_created_at bigint[],
    request_expires_at bigint[], request_states text[], request_specs text[], request_digests text[],
    request_due_at bigint[],
    request_run_ids text[], request_tool_call_ids text[], request_external_ids text[], request_body_digests text[],
    request_questions_after integer[],
    event_threads integer[], event_after bigint[], event_tenants integer[], event_tenant_after bigint[],
    event_types text[], event_requests text[], event_at bigint[], event_data text[],
    resume_ids text[], resume_tenants text[], resume_threads text[], resume_requesters text[], resume_requests text[],
    resume_available_at bigint[], resume_held boolean[], resume_causes text[],
    tenants text[], tenant_events bigint[],
    OUT positions bigint[], OUT thread_keys bigint[], OUT thread_seqs bigint[], OUT thread_access text[],
    OUT thread_agents text[], OUT thread_asked bigint[],
    OUT kinds text[], OUT requesters text[], OUT revisions integer[], OUT created_at bigint[], OUT expires_at bigint[],
    OUT specs text[], OUT digests text[], OUT due_at bigint[], OUT exclusives text[], OUT behinds boolean[],
    OUT hide_names boolean[]
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    written integer;
    archived_threads boolean[];
BEGIN
    IF cardinality(claim_ids) > 0 THEN
        INSERT INTO claims (id, tenant, thread, digest, target)
        SELECT * FROM (
            SELECT unnest(claim_ids), unnest(claim_tenants), unnest(claim_threads), unnest(claim_digests),
                unnest(claim_targets)
        ) AS n;
    END IF;

    IF cardinality(step_ids) > 0 THEN
        -- One that another server has locked is waited for; then its newest version is compared.
        WITH done AS (
            UPDATE requests AS r SET status = s.status, state = s.state, revision = r.revision + s.growth,
                spec = coalesce(s.spec, r.spec),
                expires_at = CASE WHEN s.timed THEN s.expires_at ELSE r.expires_at END,
                due_at = CASE WHEN s.timed THEN s.due_at ELSE r.due_at END,
                settled_at = s.settled_at, person = s.person, outcome = s.outcome
            FROM (
                SELECT unnest(step_tenants) AS tenant, unnest(step_ids) AS id, unnest(step_expected) AS expected,
                    unnest(step_revisions) AS revision, unnest(step_before) AS state_before,
                    unnest(step_statuses) AS status, unnest(step_states) AS state, unnest(step_growths) AS growth,
                    unnest(step_specs) AS spec, unnest(step_timed) AS timed, unnest(step_expires_at) AS expires_at,
                    unnest(step_due_at) AS due_at, unnest(step_settled_at) AS settled_at,
                    unnest(step_persons) AS person, unnest(step_outcomes) AS outcome
            ) AS s
            WHERE r.tenant = s.tenant AND r.id = s.id AND r.status = ANY (string_to_array(s.expected, ' '))
                AND r.revision = coalesce(s.revision, r.revision) AND r.state = coalesce(s.state_before, r.state)
            RETURNING r.tenant, r.id, r.kind, r.requester, r.revision, r.created_at, r.expires_at, r.spec, r.digest,
                r.due_at, r.exclusive, r.behind, r.hides_names
        ), sorted AS (
            SELECT * FROM done ORDER BY tenant, id
        )
        SELECT array_agg(kind), array_agg(requester), array_agg(revision), array_agg(created_at),
            array_agg(expires_at), array_agg(spec), array_agg(digest), array_agg(due_at), array_agg(exclusive),
            array_agg(behind), array_agg(coalesce(hides_names, kind = 'secret'))
        INTO kinds, requesters, revisions, created_at, expires_at, specs, digests, due_at, exclusives, behinds,
            hide_names
        FROM sorted;
        IF cardinality(kinds) IS DISTINCT FROM cardinality(step_ids) THEN
            RAISE SQLSTATE 'AB001';
        END IF;
    END IF;

    -- The row is locked until the commit, so its numbers have no gaps. A thread has one agent here, the first that wrote
    -- in it, and counts forms in a window that begins with the first one after the last has passed.
    WITH numbered AS (
        UPDATE threads AS t SET seq = t.seq + n.seq, agents = coalesce(t.agents, n.agents),
            asked = n.asked + CASE
                WHEN n.asked > 0 AND t.asked_from + window_ms <= n.asked_from THEN 0 ELSE t.asked END,
            asked_from = CASE
                WHEN n.asked > 0 AND t.asked_from + window_ms <= n.asked_from THEN n.asked_from ELSE t.asked_from END
        FROM (
            SELECT unnest(thread_tenants) AS tenant, unnest(thread_ids) AS id, unnest(thread_events) AS seq,
                unnest(thread_new_agents) AS agents, unnest(thread_forms) AS asked, unnest(thread_times) AS asked_from
        ) AS n
        WHERE t.tenant = n.tenant AND t.id = n.id AND coalesce(t.agents = n.agents, TRUE)
            AND (n.asked = 0 OR most_questions IS NULL OR t.asked_from + window_ms <= n.asked_from
                 OR t.asked + n.asked <= most_questions)
        RETURNING t.tenant, t.id, t.key, t.seq, t.access, t.agents, t.asked, t.archived_at IS NOT NULL AS archived
    ), sorted AS (
        SELECT * FROM numbered ORDER BY tenant, id
    )
    SELECT array_agg(key), array_agg(seq), array_agg(access), array_agg(agents), array_agg(asked), array_agg(archived)
    INTO thread_keys, thread_seqs, thread_access, thread_agents, thread_asked, archived_threads FROM sorted;
    IF cardinality(thread_keys) IS DISTINCT FROM cardinality(thread_ids) THEN
        INSERT INTO threads (tenant, id, seq, agents, asked, asked_from)
        SELECT * FROM (
            SELECT unnest(thread_tenants) AS tenant, unnest(thread_ids) AS id, unnest(thread_events) AS seq,
                unnest(thread_new_agents) AS agents, unnest(thread_forms) AS asked, unnest(thread_times) AS asked_from
        ) AS n
        WHERE NOT EXISTS (SELECT FROM threads AS t WHERE t.tenant = n.tenant AND t.id = n.id);
        GET DIAGNOSTICS written = ROW_COUNT;
        IF coalesce(cardinality(thread_keys), 0) + written < cardinality(thread_ids) THEN
            RAISE SQLSTATE 'AB001';
        END IF;
        WITH sorted AS (
            SELECT t.* FROM (SELECT unnest(thread_tenants) AS tenant, unnest(thread_ids) AS id) AS n
            JOIN threads AS t ON t.tenant = n.tenant AND t.id = n.id ORDER BY t.tenant, t.id
        )
        SELECT array_agg(key), array_agg(seq), array_agg(access), array_agg(agents), array_agg(asked),
            array_agg(archived_at IS NOT NULL)
        INTO thread_keys, thread_seqs, thread_access, thread_agents, thread_asked, archived_threads FROM sorted;
    END IF;

    IF cardinality(request_ids) > 0 THEN
        IF EXISTS (
            SELECT FROM (SELECT unnest(archived_threads) AS archived, unnest(thread_takes) AS takes) AS w
            WHERE archived AND takes
            UNION ALL
            SELECT FROM (SELECT unnest(thread_keys) AS key, unnest(thread_opened) AS opened) AS w
            WHERE opened > 0 AND opened + (SELECT count(*) FROM (
                SELECT FROM requests AS r WHERE r.status IN ('pending', 'resolving') AND r.thread = w.key
                LIMIT most_in_thread) AS counted) > most_in_thread
            UNION ALL
            SELECT FROM (
                SELECT unnest(requester_tenants) AS tenant, unnest(requester_ids) AS id,
                    unnest(requester_opened) AS opened
            ) AS w
            WHERE opened + (SELECT count(*) FROM (
                SELECT FROM requests AS r
                WHERE r.status IN ('pending', 'resolving') AND r.tenant = w.tenant AND r.requester = w.id
                LIMIT most_of_requester) AS counted) > most_of_requester
        ) THEN
            RAISE SQLSTATE 'AB001';
        END IF;

        INSERT INTO requests (tenant, id, thread, kind, requester, status, revision, created_at, expires_at,
                              created_seq, state, spec, digest, due_at, hides_names,
                              run_id, tool_call_id, external_id, body_digest)
        SELECT tenant, id, thread_keys[thread], kind, requester, status, revision, created_at, expires_at,
            thread_seqs[thread] - after, state,
            CASE WHEN questions_after IS NULL THEN spec
                ELSE spec || ',"ordinal":' || (thread_asked[thread] - questions_after)
                    || coalesce(',"of":' || most_questions, '') || '}' END,
            digest, due_at, FALSE, run_id, tool_call_id, external_id, body_digest
        FROM (
            SELECT unnest(request_threads) AS thread, unnest(request_after) AS after, unnest(request_tenants) AS tenant,
                unnest(request_ids) AS id, unnest(request_kinds) AS kind, unnest(request_requesters) AS requester,
                unnest(request_statuses) AS status, unnest(request_revisions) AS revision,
                unnest(request_created_at) AS created_at, unnest(request_expires_at) AS expires_at,
                unnest(request_states) AS state, unnest(request_specs) AS spec, unnest(request_digests) AS digest,
                unnest(request_due_at) AS due_at, unnest(request_run_ids) AS run_id,
                unnest(request_tool_call_ids) AS tool_call_id, unnest(request_external_ids) AS external_id,
                unnest(request_body_digests) AS body_digest, unnest(request_questions_after) AS questions_after
        ) AS n;
    END IF;

    IF cardinality(resume_ids) > 0 THEN
        INSERT INTO resumes (id, tenant, thread, requester, request, available_at, held, cause)
        SELECT * FROM (
            SELECT unnest(resume_ids), unnest(resume_tenants), unnest(resume_threads), unnest(resume_requesters),
                unnest(resume_requests), unnest(resume_available_at), unnest(resume_held), unnest(resume_causes)
        ) AS n
        ON CONFLICT (tenant, request, cause) DO NOTHING;
    END IF;

    -- The row of a tenant's position stays locked until the commit can be seen: who has a higher position has committed
    -- later, and a reader that sees position n sees all below n.
    WITH place AS (
        INSERT INTO positions AS p (tenant, position)
        SELECT * FROM (SELECT unnest(tenants) AS tenant, unnest(tenant_events) AS position) AS n
        ORDER BY n.tenant COLLATE "C"
        ON CONFLICT (tenant) DO UPDATE SET position = p.position + excluded.position
        RETURNING p.tenant, p.position
    ), sorted AS (
        SELECT * FROM place ORDER BY tenant
    )
    SELECT array_agg(position) INTO positions FROM sorted;
    INSERT INTO events (tenant, position, thread, seq, type, request, at, data)
    SELECT tenants[tenant], positions[tenant] - tenant_after, thread_keys[thread], thread_seqs[thread] - after, type,
        request, at, data
    FROM (
        SELECT unnest(event_threads) AS thread, unnest(event_after) AS after, unnest(event_tenants) AS tenant,
            unnest(event_tenant_after) AS tenant_after, unnest(event_types) AS type, unnest(event_requests) AS request,
            unnest(event_at) AS at, unnest(event_data) AS data
    ) AS e;
    PERFORM pg_notify('askback', json_build_array(origin, tenant, position - events + 1, position)::text)
    FROM (SELECT unnest(tenants) AS tenant, unnest(tenant_events) AS events, unnest(positions) AS position) AS t;
EXCEPTION
    WHEN SQLSTATE 'AB001' OR unique_violation THEN
        thread_keys := NULL;
END $$;
