CREATE TRIGGER decide AFTER INSERT ON questions BEGIN
    INSERT INTO decisions (question, ask, decision, who, channel, at)
    VALUES (NEW.number, 1, '"approve"', 'you', 'terminal', NEW.asked_at);
END;
