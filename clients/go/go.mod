module argosy.dev/gateway

go 1.19
