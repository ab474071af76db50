# Wrong use of --timeline.
heddle_negative_test(run.timeline_untimed STATUS 125
  COMMAND ${heddle} run --timing none --timeline -- /bin/true
  STDERR "heddle: error: --timing none leaves out all that has a time: --timeline would show \
nothing\n")
heddle_negative_test(run.timeline_missing STATUS 125
  COMMAND ${heddle} run --timeline-limit 5 -- /bin/true
  STDERR "heddle: error: --timeline-limit says how to write a timeline: there is no --timeline\n")
heddle_negative_test(run.timeline_limit STATUS 125
  COMMAND ${heddle} run --timeline --timeline-limit 0 -- /bin/true
  STDERR "heddle: error: --timeline-limit must be 1 to 100000 MB\n")
heddle_negative_test(run.timeline_interval STATUS 125
  COMMAND ${heddle} run --timeline --timeline-interval 1ns -- /bin/true
  STDERR "heddle: error: --timeline-interval 1ns: at least 10 ns\n")
