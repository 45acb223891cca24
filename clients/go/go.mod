module walk

go 1.21

require golang.org/x/oauth2 v0.3.0
