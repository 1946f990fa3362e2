"""What an event, a ruleset, a state and a fold are, and the rulesets themselves."""
